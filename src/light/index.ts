// The public names of tercet/light, and nothing else.

export { createCollection, type LightCollection, type LightOptions } from "./light-collection.ts";
export { defineSchema } from "../schema/schema.ts";
export { boolean, float, int, json, string, strings, time } from "../schema/declare.ts";
