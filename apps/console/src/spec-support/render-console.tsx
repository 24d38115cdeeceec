import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { act, render, type RenderResult } from '@testing-library/react';
import { makeQueryClient } from '../app/queries';
import { makeRouter } from '../app/router';
import { FormatProvider } from '../ui/primitives';
import { ThemeProvider } from '../ui/theme/theme-provider';
import { BOOTSTRAP, OWNER_PERMISSIONS, OWNER_SELF } from './answers';

/**
 * Stubbed responses by method and path, such as `GET /v1/logs`: a JSON body, or a function of the
 * request.
 */
export type Answers = Readonly<Record<string, unknown>>;

export interface RenderedConsole extends RenderResult {
  /** Requests in order, in the form `GET /v1/logs?page_size=50`. */
  readonly requests: readonly string[];
  /** Requests without a stubbed response, which received 404. */
  readonly unanswered: readonly string[];
  /** Returns the current address below the base, with its query. */
  readonly address: () => string;
  /** Opens another address, as a link does. */
  readonly go: (address: string) => Promise<void>;
  /** Query cache of the console. */
  readonly queries: QueryClient;
}

const NOTHING = { object: 'list', total: 0, data: [] };

/** Response of `GET /v1/logs/tail`: a stream that sends these logs and stays open. */
export const tailResponse = (...logs: readonly object[]): Response => {
  const events = logs.map((log) => `event: log\ndata: ${JSON.stringify(log)}\n\n`).join('');
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(events)) });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
};

const BASE_ANSWERS: Answers = {
  'GET /v1/auth/self': OWNER_SELF,
  'GET /v1/auth/permissions': OWNER_PERMISSIONS,
  'GET /v1/console/bootstrap': BOOTSTRAP,
  'GET /v1/health/ready': { status: 'ok' },
  'GET /v1/admin/gateways': NOTHING,
  'GET /v1/providers': NOTHING,
  'GET /v1/providers/models': NOTHING,
  'GET /v1/logs/tail': () => tailResponse(),
};

/**
 * Renders the console at an address with stubbed responses. The user is `OWNER_SELF` unless
 * `answers` override it.
 */
export function renderConsole(address: string, answers: Answers = {}): RenderedConsole {
  const requests: string[] = [];
  const unanswered: string[] = [];
  const known: Answers = { ...BASE_ANSWERS, ...answers };
  globalThis.fetch = (input) => {
    const request = input as Request;
    const { pathname, search } = new URL(request.url);
    const name = `${request.method} ${pathname}`;
    requests.push(`${name}${search}`);
    const answer = known[name];
    if (typeof answer === 'function')
      return Promise.resolve((answer as (request: Request) => Response | Promise<Response>)(request));
    if (answer !== undefined) return Promise.resolve(Response.json(answer));
    unanswered.push(name);
    return Promise.resolve(problemResponse(404, 'not_found', 'There is no such thing.'));
  };
  const queries = makeQueryClient();
  const context = { queries, facts: Promise.resolve() };
  const router = makeRouter('/', context, createMemoryHistory({ initialEntries: [address] }));
  const rendered = render(
    <ThemeProvider env="test">
      <FormatProvider zone="UTC">
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </FormatProvider>
    </ThemeProvider>,
  );
  const go = (to: string): Promise<void> => act(() => router.navigate({ to: to as '/' }));
  return { ...rendered, requests, unanswered, address: () => router.state.location.href, go, queries };
}

/** Creates an error response of the API. */
export const problemResponse = (status: number, type: string, message: string): Response =>
  Response.json({ error: { type, message, code: 'AB01', request_id: 'r-1' } }, { status });
