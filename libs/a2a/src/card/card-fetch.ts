import { assertAllowedUrl } from '@gw/kernel';
import { readCardBody } from './card-body';
import { cardCredentialHeaders, cardUrls, refused, type CardCredential } from './card-request';
import { readCard, type AgentCard, type CardRules } from './read-card';

/** Time limit of all requests of one fetch, in milliseconds. */
export const CARD_FETCH_TIMEOUT_MS = 10_000;
/** Maximum number of redirects that one fetch follows. */
export const CARD_REDIRECTS_MAX = 3;

/**
 * A request of a fetch. The text of its URL was judged; callers must also judge each address that
 * the host resolves to.
 */
export interface CardRequest {
  readonly url: URL;
  /** Headers of the credential; empty after a redirect to another origin. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A response to a request of a fetch. Callers do not follow its redirects. */
export interface CardResponse {
  readonly status: number;
  readonly location: string | null;
  readonly contentEncoding: string | null;
  /** Received bytes. Reading stops at one byte more than 1 MiB. */
  readonly body: Buffer;
}

/** Next step of a fetch. */
export type CardStep =
  | { readonly kind: 'request'; readonly request: CardRequest }
  | { readonly kind: 'card'; readonly card: AgentCard };

export interface CardFetchOptions extends CardRules {
  readonly credential?: CardCredential;
  /** Checked headers of a saved credential by lower-case name; they replace `credential`. */
  readonly headers?: Readonly<Record<string, string>>;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MISSING: ReadonlySet<number> = new Set([404, 410]);
const LOCATION_LENGTH_MAX = 2_048;

/**
 * The fetch of an agent card, one step at a time and without I/O: `start` returns the first
 * request, `next` judges a response and returns the next request or the card. If the first path has
 * no card, the older path is requested. All methods throw `GatewayError` `validation_failed` or
 * `custom_host_refused`.
 */
export class CardFetch {
  private redirects = 0;
  private candidates: readonly URL[] = [];
  private credential: Readonly<Record<string, string>> = {};
  private current: CardRequest | null = null;

  constructor(private readonly options: CardFetchOptions) {}

  /** Judges the endpoint and the credential; returns the first request. */
  start(): CardRequest {
    const { policy, endpoint, credential = {}, headers } = this.options;
    this.candidates = cardUrls(policy, endpoint);
    this.credential = headers ?? cardCredentialHeaders(credential);
    this.redirects = 0;
    return this.nextCandidate();
  }

  /** Judges the response to the last request. */
  next(response: CardResponse): CardStep {
    const { status } = response;
    if (REDIRECTS.has(status)) return { kind: 'request', request: this.redirected(response.location) };
    if (MISSING.has(status) && this.candidates.length > 0)
      return { kind: 'request', request: this.nextCandidate() };
    if (status !== 200) throw refused('endpoint', refusalOf(status));
    const card = readCardBody(response.body, response.contentEncoding);
    return { kind: 'card', card: readCard(card, this.options) };
  }

  private nextCandidate(): CardRequest {
    const [url, ...others] = this.candidates;
    if (url === undefined) throw refused('endpoint', 'has no card');
    this.candidates = others;
    return (this.current = { url, headers: this.credential });
  }

  private redirected(location: string | null): CardRequest {
    const { current } = this;
    if (current === null || location === null || location.length > LOCATION_LENGTH_MAX)
      throw refused('endpoint', 'responded with a redirect that cannot be followed');
    this.redirects += 1;
    if (this.redirects > CARD_REDIRECTS_MAX)
      throw refused('endpoint', `responded with more than ${String(CARD_REDIRECTS_MAX)} redirects`);
    const target = URL.canParse(location, current.url.href) ? new URL(location, current.url) : null;
    // The original text of an absolute location is judged, because a URL parser hides disguised
    // addresses.
    const text = /^https?:/i.test(location) ? location : (target?.href ?? location);
    const url = assertAllowedUrl(this.options.policy, text, 'endpoint');
    if (current.url.protocol === 'https:' && url.protocol !== 'https:')
      throw refused('endpoint', 'responded with a redirect from https to http');
    const headers = url.origin === current.url.origin ? current.headers : {};
    return (this.current = { url, headers });
  }
}

function refusalOf(status: number): string {
  if (status === 401 || status === 403)
    return `responded with ${String(status)}; send a credential with authType headers`;
  return MISSING.has(status)
    ? 'has no card at /.well-known/agent-card.json and /.well-known/agent.json'
    : `responded with ${String(status)} instead of a card`;
}
