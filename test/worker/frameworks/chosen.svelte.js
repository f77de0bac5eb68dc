export const chosen = $state({ done: 0 });
