// Common given and family names of several scripts, the most frequent first. Given and family names
// are paired at random, so no pair refers to a real person.
//
// Email addresses use a name's plain Latin spelling. It follows `=` if dropping the accents does not
// give it. No two family names, and no two given names of one script, may share a spelling: the
// uniqueness of addresses depends on it (see people.ts).

/** Names of one script. */
export interface NameGroup {
  /** The share of all contacts, in percent. */
  readonly share: number;
  readonly given: string;
  readonly family: string;
}

export const nameGroups: readonly NameGroup[] = [
  {
    share: 88,
    given: `Maria James Anna John Mary Michael Laura David Sarah Daniel Emma Thomas Julia Robert
      Sofia Peter Elena Paul Lisa Martin Nina Marco Eva Andreas Sandra Luca Nicole Stefan Claudia
      Simon Monika Patrick Susan Christian Jessica Alexander Barbara Mark Karin Matthew Carmen
      Joseph Linda Anthony Emily Steven Olivia Kevin Amanda Brian Melissa George Deborah Edward
      Stephanie Jason Rebecca Ryan Sharon Jacob Cynthia Gary Kathleen Nicholas Amy Eric Angela
      Jonathan Brenda Larry Pamela Justin Scott Katherine Brandon Benjamin Samuel Gregory Frank
      Raymond Jack Dennis Jerry Tyler Aaron José Jürgen François Chloé Zoë Björn Søren=soren Łukasz=lukasz
      Małgorzata=malgorzata Agnieszka Katarzyna Giulia Francesca Alessandro Matteo Chiara Ana João
      Inês Beatriz Tiago Lucía Javier Núria Andrés Begoña Iñaki Jean-Pierre Anne-Marie Hélène
      Noémie Théo Jérôme Sébastien Günther Jörg Käthe Lærke=laerke Bjørn=bjorn-o Åsa Öykü Ayşe=ayse
      Mehmet Çağla=cagla Žofia Ondřej Jiří Šárka Zsófia Gergő Ștefan=stefan-s Ionuț Siobhán Niamh
      Oisín Rhys Angharad Thi Minh Lan Nguyệt=nguyet Kwame Amina Chidi Ngozi Thabo Leilani Kai`,
    family: `Smith Müller Johnson Garcia Williams Rossi Brown Schmidt Jones Martin-Dubois Miller
      Davis Silva Rodriguez Wilson Fischer Martinez Anderson Taylor Weber Hernandez Moore Meyer
      Thompson White Lopez Lee Wagner Gonzalez Harris Becker Clark Lewis Bianchi Robinson Walker
      Perez Hall Young Allen Hoffmann Sanchez Wright King Schäfer Scott-Hill Green Baker Koch
      Adams Nelson Bauer Hill Ramirez Campbell Mitchell Roberts Richter Carter Phillips Evans
      Turner Klein Torres Parker Collins Wolf Edwards Stewart Flores Morris Schröder Nguyen Murphy
      Rivera Cook Neumann Rogers Morgan Peterson Schwarz Cooper Reed Bailey Zimmermann Bell Gomez
      Kelly Braun Howard Ward Cox Krüger Diaz Richardson Wood Hofmann Watson Brooks Bennett Hartmann
      Gray Lange Reyes Cruz Hughes Price Myers Long Foster Sanders Ross Morales Powell Sullivan
      Russell Ortiz Jenkins Gutierrez Perry Butler Barnes Fisher O'Brien O'Connor O'Neill McDonald
      Esposito Ricci Moretti Conti Ferreira Santos Oliveira Souza Pereira Costa Almeida Lefèvre
      Girard Bonnet Dupont Lambert Fontaine Rousseau Mercier Nowak Kowalski Wiśniewska Wójcik
      Kamiński Lewandowski Dąbrowska Horváth Szabó Tóth Varga Popescu Ionescu Novák Dvořák
      Procházka Jansen Bakker Visser Meijer Mulder Andersson Nilsson Lindström Håkansson
      Sørensen=sorensen Jørgensen=jorgensen Østergaard=ostergaard Hansen Olsen Virtanen Korhonen
      Mäkinen Yılmaz=yilmaz Kaya Demir Şahin Öztürk Tran Pham Huỳnh Okafor Mensah Dlamini Mwangi`,
  },
  {
    share: 4,
    given: `Александр=aleksandr Елена=elena Ольга=olga Наталья=natalya Сергей=sergey Ирина=irina
      Дмитрий=dmitry Татьяна=tatyana Андрей=andrey Светлана=svetlana Михаил=mikhail Юлия=yuliya
      Николай=nikolay Оксана=oksana Богдан=bogdan Людмила=lyudmila`,
    family: `Шевченко=shevchenko Бондаренко=bondarenko Коваль=koval Мельник=melnyk Ткаченко=tkachenko
      Кравчук=kravchuk Петренко=petrenko Савченко=savchenko Черных=chernykh Живаго=zhivago
      Белых=belykh Герман=german Иванович=ivanovich Мороз=moroz`,
  },
  {
    share: 3,
    given: `伟=wei 芳=fang 娜=na 敏=min 静=jing 丽=li-hua 强=qiang 磊=lei 洋=yang 艳=yan 勇=yong 杰=jie
      娟=juan 涛=tao 秀英=xiuying 志明=zhiming`,
    family: `王=wang 李=li 张=zhang 刘=liu 陈=chen 杨=yang 赵=zhao 黄=huang 周=zhou 吴=wu 徐=xu 孙=sun
      欧阳=ouyang 司马=sima`,
  },
  {
    share: 2,
    given: `محمد=mohammed فاطمة=fatima أحمد=ahmed مريم=maryam علي=ali نور=nour حسن=hassan زينب=zainab
      خالد=khaled ليلى=layla يوسف=youssef هدى=huda`,
    family: `المصري=elmasry الهاشمي=alhashimi حداد=haddad خوري=khoury نجار=najjar الشامي=alshami
      منصور=mansour سليمان=sulaiman درويش=darwish بغدادي=baghdadi`,
  },
  {
    share: 1,
    given: `翔太=shota 結衣=yui 大輔=daisuke さくら=sakura 健=ken 美咲=misaki ユミ=yumi 陽子=yoko`,
    // The first character of the second name lies outside the Basic Multilingual Plane.
    family: `佐藤=sato 𠮷田=yoshida 鈴木=suzuki 高橋=takahashi 田中=tanaka 渡辺=watanabe 小林=kobayashi`,
  },
  {
    share: 0.7,
    given: `민준=minjun 서연=seoyeon 지훈=jihoon 하은=haeun 도윤=doyun 수빈=subin`,
    family: `김=kim 박=park 최=choi 정=jeong 강=kang 조=cho`,
  },
  {
    share: 0.7,
    given: `प्रिया=priya राहुल=rahul अनीता=anita विजय=vijay सुनीता=sunita अमित=amit`,
    family: `शर्मा=sharma वर्मा=verma गुप्ता=gupta सिंह=singh पटेल=patel यादव=yadav`,
  },
  {
    share: 0.6,
    given: `Γιώργος=giorgos Ελένη=eleni Νίκος=nikos Κατερίνα=katerina Δημήτρης=dimitris Σοφία=sofia`,
    family: `Βλάχου=vlachou Γεωργίου=georgiou Ιωάννου=ioannou Οικονόμου=oikonomou Δημητρίου=dimitriou`,
  },
];
