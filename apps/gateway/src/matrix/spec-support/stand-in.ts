import type { RecordedRequest, StubResponse } from '@gw/testing';
import type { Schema } from './schema';
import type { History } from './history';
import type { Reply, Scenario } from './scenario';

export type Body = Readonly<Record<string, unknown>>;

/** A provider of one dialect, which takes only what its dialect has. */
export interface StandIn {
  /** Name of the column. */
  readonly dialect: string;
  /** Id of the provider in the registry. */
  readonly provider: string;
  readonly model: string | ((scenario: Scenario) => string);
  /** Fields of the saved provider, with the stand-in's address. */
  configurations(origin: string): Readonly<Record<string, unknown>>;
  /** Whether the credential is in these fields, and there is no key. */
  readonly isKeyless?: true;
  /** Path of a call, without its query. */
  path(streams: boolean): string;
  readonly request: Schema;
  /** Says what a JSON Schema cannot: null when nothing is wrong. */
  lint?(body: Body): string | null;
  /** Where a body asks for reasoning and for a schema, member by member. */
  readonly requested: { readonly reasoning: readonly string[]; readonly schema: readonly string[] };
  /** The calls of earlier turns, and their results, in the order of the body. */
  history(body: Body): History;
  /** Whether tool calls of the dialect have ids. */
  readonly hasIds: boolean;
  isAuthorized(request: RecordedRequest): boolean;
  /** What it sends for a body. */
  reply(reply: Reply, body: Body): StubResponse;
  /** A 429. */
  readonly error: StubResponse;
}

const SSE = { 'content-type': 'text/event-stream' };

/** Pieces of a stream: one for each event, the connection cut before the last two if it is to break. */
const piecesOf = (pieces: readonly (string | Buffer)[], cut: boolean): StubResponse['steps'] =>
  cut
    ? [...pieces.slice(0, -2).map((chunk) => ({ chunk })), { cut: 'reset' as const }]
    : pieces.map((chunk) => ({ chunk }));

export const dataEvents = (bodies: readonly object[], { cut }: Reply, end: string[] = []): StubResponse => ({
  headers: SSE,
  steps: piecesOf([...bodies.map((body) => `data: ${JSON.stringify(body)}\n\n`), ...end], cut) ?? [],
});

export const namedEvents = (
  bodies: readonly { readonly type: string; readonly [member: string]: unknown }[],
  { cut }: Reply,
): StubResponse => ({
  headers: SSE,
  steps:
    piecesOf(
      bodies.map((body) => `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`),
      cut,
    ) ?? [],
});

export const framed = (
  pieces: readonly (string | Buffer)[],
  contentType: string,
  { cut }: Reply,
): StubResponse => ({ headers: { 'content-type': contentType }, steps: piecesOf(pieces, cut) ?? [] });

export const bearer =
  (key: string, header = 'authorization', form = `Bearer ${key}`) =>
  ({ headers }: RecordedRequest): boolean =>
    headers[header] === form;
