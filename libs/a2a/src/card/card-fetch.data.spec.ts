import { GatewayError } from '@gw/kernel';
import { fetched, type CardServer } from '../spec-support/card-server';
import { vectors } from '../spec-support/vectors';

interface FetchCase {
  readonly input: CardServer;
  readonly expect: 'accept' | 'reject' | 'either';
}

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
  it.each(vectors<FetchCase>('fetch'))('%s %s [ERR-10]', (_id, _reason, { input, expect: wanted }) => {
    const polluted = Object.keys(Object.prototype);
    const outcome = outcomeOf(input);
    if (wanted === 'either') expect(['accept', 'reject']).toContain(outcome);
    else expect(outcome).toBe(wanted);
    expect(Object.keys(Object.prototype)).toEqual(polluted);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});
