// The module that tests compile with Svelte.

declare module "*.svelte.js" {
  export const chosen: { done: number };
}
