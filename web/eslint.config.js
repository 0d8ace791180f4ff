import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "node_modules", "src/api/schema.d.ts", "public"] },
  {
    files: ["src/**/*.{ts,tsx}", "vite.config.ts"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: import.meta.dirname } },
    plugins: { "react-hooks": reactHooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
      "max-lines": ["error", { max: 400 }],
      "no-restricted-syntax": [
        "error",
        { selector: "TSAsExpression > TSNeverKeyword", message: "Say what it is: a cast to never hides every mistake." },
        { selector: "Property[key.name='strict'][value.value=false]", message: "Name the route: the compiler then knows what its address holds." },
        {
          selector: "CallExpression[callee.name=/^use(Layout)?Effect$/] > ArrowFunctionExpression[expression=true]",
          message: "An effect returns what undoes it or nothing: give it a body.",
        },
      ],
      // A number in a sentence for people is what it looks like.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // Handlers in JSX are read as one line.
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
      // Types made from a document say "always there" of what an older service may leave out.
      "@typescript-eslint/no-unnecessary-condition": "off",
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      "@typescript-eslint/no-base-to-string": "off",
    },
  },
);
