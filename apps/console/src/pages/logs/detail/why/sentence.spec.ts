import { FALLBACK_LOG } from '../../spec-support/logs';
import { decisionOf, type LogDetail } from '../record';
import { sentenceOf } from './sentence';

const sentence = (change: Partial<LogDetail>, decision: Record<string, unknown> = {}) =>
  sentenceOf(
    { ...FALLBACK_LOG, ...change },
    decisionOf({ decision: { ...FALLBACK_LOG.decision, ...decision } }),
  );

const attempt = (change: object) => ({
  target: 'config',
  provider: 'openai',
  retry: 0,
  end: 'answered',
  status: 200,
  ...change,
});

describe('sentenceOf', () => {
  it('names the responding target, the config, and the failures before', () => {
    expect(sentence({})).toEqual({
      tone: 'info',
      title: 'Answered by the second target.',
      facts: [
        'Config written in the request, from the request (fallback).',
        'Moved on because targets[0] ended with 503 twice.',
      ],
    });
  });

  it.each([
    ['Answered at the first try.', {}, { attempts: [attempt({})] }],
    ['Answered at retry 2.', {}, { attempts: [attempt({ end: 'timeout' }), attempt({ retry: 2 })] }],
    [
      'Answered by the second of two calls, because the first one was slow.',
      {},
      { attempts: [attempt({ hedge: 'first', end: 'cancelled' }), attempt({ hedge: 'second' })] },
    ],
    ['Answered from the cache.', { cache_status: 'HIT' }, { attempts: [] }],
    [
      'Answered from the cache by a similar request (similarity 0.931).',
      { cache_status: 'SEMANTIC HIT' },
      { attempts: [], cache: { status: 'SEMANTIC HIT', similarity: 0.9312 } },
    ],
    ['The stored response of the first request with this Idempotency-Key.', {}, { idempotency: 'replayed' }],
    [
      'Denied by the guardrail pii, on the input.',
      { outcome: 'denied', response_status_code: 446 },
      { guardrails: [{ id: 'pii', stage: 'input', verdict: false, deny: true, monitor: false }] },
    ],
    [
      'Refused by a limit: key requests a minute.',
      { outcome: 'denied', response_status_code: 429, error_type: 'rate_limited' },
      { limits: [{ scope: 'api_key', type: 'requests_per_m', limit: 3, used: 3, verdict: 'refused' }] },
    ],
    [
      'Refused: api key expired.',
      { outcome: 'denied', response_status_code: 401, error_type: 'api_key_expired' },
      {},
    ],
    [
      'No target answered with success; the last one answered with 503.',
      { outcome: 'provider_error', response_status_code: 503 },
      {},
    ],
    ['The client left before the response was complete.', { outcome: 'client_closed' }, {}],
    [
      'The gateway stopped while the request was under way.',
      { outcome: 'interrupted', error_type: 'gateway_lost' },
      {},
    ],
    ['Failed: provider timeout.', { outcome: 'failed', error_type: 'provider_timeout' }, {}],
  ])('summarises a log as %j', (title, change, decision) => {
    expect(sentence(change as Partial<LogDetail>, decision).title).toBe(title);
  });

  it('omits invalid parts of a damaged record', () => {
    const damaged = {
      attempts: 'many',
      limits: [null, 7],
      guardrails: {},
      config: 'x',
      routing: [[]],
      price: 3,
    };
    expect(sentenceOf(FALLBACK_LOG, decisionOf({ decision: damaged }))).toEqual({
      tone: 'ok',
      title: 'Answered by the gateway.',
      facts: [],
    });
  });
});
