import js from "@eslint/js";
import tseslint from "typescript-eslint";

// Imports go one way: cli → service → collection → criteria → schema.
// `synthetic` and `testing` use only the public face of what they need.
const rooms = ["schema", "criteria", "collection", "service", "cli"];
const oneWay = rooms.map((room, height) => ({
  files: [`src/${room}/**`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          {
            group: rooms.slice(height + 1).map((above) => `**/${above}/**`),
            message: `src/${room} may import only from the rooms below it.`,
          },
        ].filter(({ group }) => group.length > 0),
      },
    ],
  },
}));

export default tseslint.config(
  { ignores: ["dist", "coverage", "reports", ".stryker-tmp", "bench/node_modules"] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ["*.js"] } } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/consistent-type-definitions": "off",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-non-null-assertion": "error",
    },
  },
  {
    files: ["src/**"],
    ignores: ["src/cli/**"],
    rules: {
      "no-restricted-globals": ["error", "process", "Buffer", "require", "__dirname"],
      "no-eval": "error",
      "no-new-func": "error",
    },
  },
  {
    // Typed arrays read in loops whose bounds are those of the array.
    files: ["src/collection/**"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      // Over a typed array, for-of is several times slower until it is optimised.
      "@typescript-eslint/prefer-for-of": "off",
    },
  },
  ...oneWay,
  { files: ["**/*.js"], extends: [tseslint.configs.disableTypeChecked] },
);
