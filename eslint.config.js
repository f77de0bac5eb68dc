import js from "@eslint/js";
import tseslint from "typescript-eslint";

// Imports go one way: of the layers, and of the folders of the collection, each may import only from
// those before it in its list.
const layers = [
  "schema",
  "criteria",
  "collection",
  "database",
  "service",
  "arrow",
  "import",
  "sql",
  "store",
  "cli",
];
const folders = [
  "algorithms",
  "index",
  "records",
  "cache",
  "snapshot",
  "pipeline",
  "plan",
  "execute",
  "change",
  "explain",
];
const oneWay = [
  ...layers.map((folder, height) => ({ folder: `src/${folder}`, above: layers.slice(height + 1) })),
  ...folders.map((folder, height) => ({
    folder: `src/collection/${folder}`,
    above: [...folders.slice(height + 1), ...layers.slice(3), "collection.ts"],
  })),
  { folder: "src/arrow/read", above: ["write", ...layers.slice(layers.indexOf("arrow") + 1)] },
].map(({ folder, above }) => ({
  files: [`${folder}/**`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: above.map((name) => ({
          group: name.endsWith(".ts") ? [`**/${name}`] : [`**/${name}/**`],
          message: `${folder} may import only from what stands below it.`,
        })),
      },
    ],
  },
}));

// Whoever tests or measures with the library uses what its users have.
const publicOnly = {
  files: ["src/synthetic/**", "src/testing/**"],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          {
            group: layers.map((folder) => `**/${folder}/**`),
            message: "Import the public names, from src/index.ts.",
          },
        ],
      },
    ],
  },
};

// The page and the command are users that have all of the library's entries. What the command took from
// elsewhere would be packed twice, and a class that is there twice is none that an error is known by.
const entriesOnly = {
  files: ["src/playground/**", "src/cli/**"],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          {
            group: layers.flatMap((folder) => [`**/${folder}/**`, `!**/${folder}/index.ts`]),
            message: "Import the public names, from the index.ts of what has them.",
          },
        ],
      },
    ],
  },
};

export default tseslint.config(
  { ignores: ["dist", "coverage", "reports", ".stryker-tmp", "bench/node_modules"] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { project: "tsconfig.json" } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/consistent-type-definitions": "off",
      // There is no enum to assign to (`erasableSyntaxOnly`), and looking for one takes seconds.
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
      "@typescript-eslint/no-unused-vars": ["error", { ignoreUsingDeclarations: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: ["src/**"],
    ignores: ["src/cli/**", "src/store/**", "src/build.ts", "src/playground/{build,serve}.ts"],
    rules: {
      "no-restricted-globals": ["error", "process", "Buffer", "require", "__dirname"],
      "no-eval": "error",
      "no-new-func": "error",
    },
  },
  {
    // Typed arrays read in loops whose bounds are those of the array.
    files: ["src/collection/**", "src/arrow/**", "src/import/**", "src/store/checksum.ts"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      // Over a typed array, for-of is several times slower until it is optimised.
      "@typescript-eslint/prefer-for-of": "off",
    },
  },
  ...oneWay,
  publicOnly,
  entriesOnly,
  { files: ["**/*.js", "**/*.cjs"], extends: [tseslint.configs.disableTypeChecked] },
  {
    files: ["**/*.cjs"],
    languageOptions: { globals: { require: "readonly" } },
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
);
