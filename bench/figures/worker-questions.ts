// What both pages of the figure of workers ask for.

/** A page of 50 that no other number asks for. */
export const asked = (number: number) =>
  ({
    criteria: [
      ["customer", "contains", String(number)],
      ["total", "at_least", number],
    ],
    sort: [["total", "DESC"]],
    limit: 50,
  }) as const;
export const latest = { sort: [["id", "DESC"]], limit: 50 } as const;
export const byState = { countBy: "state" } as const;
