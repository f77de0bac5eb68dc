// The public names of tercet/testing: property tests of criteria, with fast-check.

export {
  batch,
  contactsOf,
  type ArrayBatch,
  type ArrayList,
  type BatchShape,
  type SearchedContact,
} from "./arbitraries/batch.ts";
export { criteria, type DrawnFrom } from "./arbitraries/criteria.ts";
export { hostileValue, type Hostile } from "./arbitraries/hostile.ts";
export { invalidCriteria } from "./arbitraries/invalid-criteria.ts";
export { query } from "./arbitraries/query.ts";
export { relatedRecords, relatedSchemas } from "./arbitraries/related.ts";
export { relatedChange, relatedCriteria, type Step } from "./arbitraries/related-questions.ts";
export { ownSchema } from "./arbitraries/schema.ts";
export {
  contactRecord,
  fileRecord,
  files,
  inputRecord,
  inputRecords,
  type OfTexts,
} from "./arbitraries/records.ts";
export {
  invalidRequest,
  request,
  validRequest,
  type InvalidRequest,
  type ServiceData,
  type ValidRequest,
} from "./arbitraries/request.ts";

export { referenceCollection, type ReferenceCollection } from "./reference-collection.ts";
export {
  referenceDatabase,
  type DraftRecords,
  type RecordsByName,
  type ReferenceDatabase,
  type RelatedDraft,
  type Schemas,
} from "./reference-database.ts";
export { referenceService, type ReferenceOptions, type ReferenceService } from "./reference.ts";
export {
  checkCollection,
  checkDatabase,
  checkService,
  collectionLaws,
  databaseLaws,
  formatLaw,
  formatReport,
  laws,
  NoResponse,
  ResponseTimeout,
  rulesOf,
  type Checked,
  type CheckedCollection,
  type CheckedData,
  type CheckedDatabase,
  type CheckedService,
  type CheckOptions,
  type CheckReport,
  type CollectionCheckOptions,
  type CollectionLaw,
  type CollectionLawOptions,
  type CommonLawOptions,
  type DatabaseCheckOptions,
  type DatabaseLaw,
  type Law,
  type LawOf,
  type LawOptions,
  type LawReport,
  type MakeCollection,
  type MakeDatabase,
  type Operation,
  type RuleReport,
  type Signal,
} from "./laws/index.ts";
export { vectors, type Vector, type VectorHeader, type VectorOptions } from "./vectors.ts";
