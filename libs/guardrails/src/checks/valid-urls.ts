import { CheckError, defineCheck, type CheckContext } from '../check';
import { reduceInOrder, then, type Eventually } from '../eventually';
import { NOT_PARAMETER, object, scopeParameter, textsOf } from '../parameters';
import { ResponseTooLong } from '../port';
import type { Scope } from '../text/scope';
import type { Pace } from '../work';

interface Parameters {
  readonly onlyDNS: boolean;
  readonly not: boolean;
  readonly scope: readonly Scope[];
}

/** Maximum bytes of a response that are read. */
const BYTES_MAX = 1_048_576;
/** Maximum distinct URLs of all checked texts, so that a request cannot cause unbounded calls. */
const URLS_MAX = 20;

export const validUrls = defineCheck<Parameters>({
  id: 'default.validUrls',
  doc: 'Every http(s) URL in the texts responds, or resolves with `onlyDNS`. A text without URLs passes.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: false,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 5_000,
  timeoutParameter: 'timeout',
  parameters: object({
    onlyDNS: { type: 'boolean', default: false },
    not: NOT_PARAMETER,
    scope: scopeParameter('last_message'),
  }),
  example: { onlyDNS: true, not: false, scope: ['last_message'] },
  prepare: ({ onlyDNS, not, scope }) => ({
    evaluate(subject, context) {
      return then(urlsIn(textsOf(subject, scope), context), (urls) => {
        if (urls.length === 0) return { verdict: true, data: { urls: 0, not } };
        if (urls.length > URLS_MAX) throw new CheckError(`The text has more than ${String(URLS_MAX)} URLs.`);
        const pending = urls.map((url) => (onlyDNS ? resolves(url, context) : responds(url, context)));
        return Promise.all(pending).then((found) => {
          const invalid = found.filter((isValid) => !isValid).length;
          const verdict = not ? invalid === urls.length : invalid === 0;
          return { verdict, data: { urls: urls.length, invalid, not } };
        });
      });
    },
  }),
});

/** Returns the distinct URLs, without trailing punctuation of the sentence. */
function urlsIn(texts: readonly string[], pace: Pace): Eventually<readonly URL[]> {
  const searched = reduceInOrder(texts, new Map<string, URL>(), (found, text) =>
    then(pace.step(1 + text.length / SEARCHED_OF_UNIT), () =>
      reduceInOrder(text.matchAll(/https?:\/\/[^\s<>"'`{}|\\^]{1,2048}/gi), found, (all, [match]) =>
        all.size > URLS_MAX ? all : then(pace.step(match.length), () => addUrl(all, match)),
      ),
    ),
  );
  return then(searched, (found) => [...found.values()]);
}

/** Characters without a URL that take one unit of work. */
const SEARCHED_OF_UNIT = 8;

function addUrl(found: Map<string, URL>, match: string): Map<string, URL> {
  const trimmed = withoutTail(match);
  if (URL.canParse(trimmed)) found.set(trimmed, new URL(trimmed));
  return found;
}

function withoutTail(text: string): string {
  const opening = text.indexOf('(');
  let end = text.length;
  for (; end > 0; end--) {
    const char = text[end - 1] ?? '';
    const isLooseBracket = char === ')' && (opening === -1 || opening >= end);
    if (!'.,;:!?*]'.includes(char) && !isLooseBracket) break;
  }
  return text.slice(0, end);
}

const resolves = (url: URL, { port, signal }: CheckContext): Promise<boolean> =>
  port.resolves(url.hostname, signal).catch(() => false);

/**
 * Returns whether a URL responds. A server that refuses HEAD gets a GET request, whose body is read
 * only up to the size of an ordinary page.
 */
async function responds(url: URL, context: CheckContext): Promise<boolean> {
  for (const method of ['HEAD', 'GET'] as const) {
    const status = await statusOf(url, method, context);
    // A redirect counts as a response: it is not followed, and the URL exists.
    if (status === null || status < 400) return status !== null;
    if (method === 'HEAD' && status !== 405 && status !== 501 && status !== 403) return false;
  }
  return false;
}

/** Returns the status of the response, also of one that is too long to read; null without one. */
async function statusOf(
  url: URL,
  method: 'HEAD' | 'GET',
  { port, signal }: CheckContext,
): Promise<number | null> {
  const call = { url: url.href, method, headers: {}, body: null, signal, responseBytesMax: BYTES_MAX };
  try {
    return (await port.call(call)).status;
  } catch (error) {
    return error instanceof ResponseTooLong ? error.status : null;
  }
}
