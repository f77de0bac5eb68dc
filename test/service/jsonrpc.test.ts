// The JSON-RPC 2.0 clients that most people use, against a service behind node:http (rule E13).

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import jayson from "jayson/promise/index.js";
import { JSONRPCClient, JSONRPCErrorException } from "json-rpc-2.0";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aService } from "../rules/fixtures.ts";

const service = aService({ authenticate: (key) => Promise.resolve(key === "key") });
let server: Server;
let port: number;
/** What each body was answered with. */
const answered: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    void (async () => {
      const answer = await service.dispatchJsonAsync(await text(request));
      answered.push(answer);
      response.setHeader("content-type", "application/json");
      response.statusCode = answer === "" ? 204 : 200;
      response.end(answer);
    })();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  ({ port } = server.address() as AddressInfo);
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const criteria = [["size", "less_than", 100]];
const found = service.searchFiles([["size", "less_than", 100]]);

describe("jayson", () => {
  const client = () => jayson.Client.http({ host: "127.0.0.1", port });

  test("gets results, by position and by name", async () => {
    const byPosition: unknown = await client().request("searchFiles", ["key", criteria]);
    expect(byPosition).toMatchObject({ jsonrpc: "2.0", result: found });
    const byName: unknown = await client().request("getBatchContacts", {
      api_key: "key",
      batch_id: 7,
      search_criteria: [["Age", "exactly", 9]],
    });
    expect(byName).toMatchObject({ result: { 10: [], 20: [{ send_id: "1" }] } });
  });

  test("gets the code, the name and the reason of an error", async () => {
    const answer: unknown = await client().request("searchFiles", ["key", null, -1]);
    expect(answer).toMatchObject({
      error: {
        code: -32602,
        message: "Invalid params",
        data: expect.stringMatching(/^limit: must be/) as string,
      },
    });
    const refused: unknown = await client().request("searchFiles", ["other"]);
    expect(refused).toMatchObject({ error: { code: 300, data: "api_key: is not accepted" } });
    expect(answer).not.toHaveProperty("result");
  });

  test("sends notifications, and expects no answer", async () => {
    const sent = answered.length;
    await client().request("searchFiles", ["key"], null as never);
    expect(answered.slice(sent)).toEqual([""]);
  });

  test("sends batches", async () => {
    const one = client();
    const batch = [
      one.request("searchFiles", ["key", criteria], undefined, false),
      one.request("searchFiles", { api_key: "key", limit: 0 }, undefined, false),
      one.request("searchFiles", ["key"], null as never, false),
      one.request("nothing", ["key"], "mine", false),
    ];
    const answers: unknown = await one.request(batch as never);
    expect(answers).toMatchObject([
      { result: found },
      { result: [] },
      { id: "mine", error: { code: -32601 } },
    ]);
  });
});

describe("json-rpc-2.0", () => {
  let lastId = 0;
  const client: JSONRPCClient = new JSONRPCClient(
    async (request) => {
      const body = JSON.stringify(request);
      const response = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body });
      if (response.status === 200) client.receive((await response.json()) as never);
    },
    () => `id ${++lastId}`,
  );

  test("gets results, by position and by name", async () => {
    expect(await client.request("searchFiles", ["key", criteria])).toEqual(found);
    const byName = { api_key: "key", search_criteria: criteria };
    expect(await client.request("searchFiles", byName)).toEqual(found);
  });

  test("throws errors that carry the code, the name and the reason", async () => {
    const error: unknown = await Promise.resolve(
      client.request("getBatchContacts", ["key", 8]),
    ).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(JSONRPCErrorException);
    expect(error).toMatchObject({
      code: 308,
      message: "Unable to Load Batch",
      data: "batch_id: there is no Batch 8",
    });
  });

  test("sends notifications", async () => {
    const sent = answered.length;
    client.notify("searchFiles", ["key"]);
    while (answered.length === sent) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(answered.slice(sent)).toEqual([""]);
  });

  test("sends batches", async () => {
    const request = (id: string, method: string, params: unknown) =>
      ({ jsonrpc: "2.0", id, method, params }) as const;
    const answers = await client.requestAdvanced([
      request("a", "searchFiles", ["key", criteria]),
      request("b", "searchFiles", { api_key: "key", limit: "x" }),
    ]);
    expect(answers).toMatchObject([
      { id: "a", result: found },
      { id: "b", error: { code: -32602 } },
    ]);
  });
});
