import type { RecordedRequest, StubResponse } from '@gw/testing';
import type { Schema } from './schema';
import type { History } from './history';
import type { Reply, Scenario } from './scenario';

export type Body = Readonly<Record<string, unknown>>;

/** Replaces a provider of one dialect. It refuses requests that its dialect does not allow. */
export interface StandIn {
  /** Name of the matrix column. */
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
  /** JSON Schema of a request body. */
  readonly request: Schema;
  /** Checks what a JSON Schema cannot express; returns the fault, or null. */
  lint?(body: Body): string | null;
  /** Paths of the members that request reasoning and a schema of the output. */
  readonly requested: { readonly reasoning: readonly string[]; readonly schema: readonly string[] };
  /** The calls of earlier turns, and their results, in the order of the body. */
  history(body: Body): History;
  /** Whether tool calls of the dialect have ids. */
  readonly hasIds: boolean;
  isAuthorized(request: RecordedRequest): boolean;
  /** Returns the response to a body. */
  reply(reply: Reply, body: Body): StubResponse;
  /** A response with status 429. */
  readonly error: StubResponse;
}

const SSE = { 'content-type': 'text/event-stream' };

/**
 * Pieces of a stream: one for each event, the connection cut before the last two if it is to break.
 */
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
