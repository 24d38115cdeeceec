import { GatewayError } from '@gw/kernel';
import { fetched, type CardServer } from '../spec-support/card-server';
import { vectors } from '../spec-support/vectors';

interface FetchCase {
  readonly input: CardServer;
  readonly expect: 'accept' | 'reject' | 'either';
}

/** What the fetch does where a case permits both. */
const EITHER: Readonly<Record<string, 'accept' | 'reject'>> = {
  // A redirect to another public host is followed after the same checks.
  'a2a-043': 'accept',
  // A card on another origin is refused, because the fetch does not allow other origins.
  'a2a-046': 'reject',
};

function outcomeOf(server: CardServer): 'accept' | 'reject' {
  try {
    const { card, requests } = fetched(server);
    const { url, ...others } = card.card;
    expect(url).toBe(card.url);
    expect(server.then?.answer ?? server.answer).toMatchObject(others);
    if (server.authType === 'headers' && server.authHeader === undefined)
      expect(requests[0]?.headers).toEqual({ authorization: `Bearer ${String(server.authToken)}` });
    return 'accept';
  } catch (error) {
    if (error instanceof GatewayError && error.status === 400) return 'reject';
    throw error;
  }
}

describe('CardFetch', () => {
  it.each(vectors<FetchCase>('fetch'))('%s %s [ERR-10]', (id, _reason, { input, expect: wanted }) => {
    const before = Object.keys(Object.prototype);
    expect(outcomeOf(input)).toBe(wanted === 'either' ? EITHER[id] : wanted);
    expect(Object.keys(Object.prototype)).toEqual(before);
  });
});
