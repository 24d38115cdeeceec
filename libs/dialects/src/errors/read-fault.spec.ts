import { readFault, type FaultShape } from './read-fault';

const NOW = Date.parse('2026-11-26T00:00:00Z');

const fault = (
  body: unknown,
  status = 400,
  headers: Record<string, string> = {},
  shape: FaultShape = 'openai',
): ReturnType<typeof readFault> => readFault(shape, status, headers, body, NOW);

describe('readFault', () => {
  it.each<[string, unknown, number, FaultShape, string]>([
    [
      'a blocked prompt of Azure',
      { error: { code: 'content_filter', message: 'm' } },
      400,
      'openai',
      'blocked',
    ],
    [
      'an empty account of DeepSeek',
      { error: { message: 'Insufficient Balance' } },
      402,
      'openai',
      'billing',
    ],
    [
      'tokens a minute at Groq',
      { error: { code: 'rate_limit_exceeded', message: 'm' } },
      413,
      'openai',
      'too_large',
    ],
    ['missing capacity at Groq', { error: { message: 'm' } }, 498, 'openai', 'overloaded'],
    ['an invalid token at Cohere', { message: 'invalid api token' }, 498, 'cohere', 'auth'],
    [
      'an exhausted account at MiniMax',
      { base_resp: { status_code: 1008, status_msg: 'm' } },
      200,
      'minimax',
      'billing',
    ],
    [
      'blocked content at MiniMax',
      { base_resp: { status_code: 1027, status_msg: 'm' } },
      200,
      'minimax',
      'blocked',
    ],
    [
      'a quota of AWS, which is a 400',
      { __type: 'com.amazon#ServiceQuotaExceededException' },
      400,
      'aws',
      'rate',
    ],
    [
      'an exhausted free tier of Google',
      google('RESOURCE_EXHAUSTED', 'FreeTier exceeded'),
      429,
      'google',
      'billing',
    ],
    ['an exhausted rate of Google', google('RESOURCE_EXHAUSTED', 'Too many'), 429, 'google', 'rate'],
    ['a conflict of Google', google('ABORTED', 'm'), 409, 'google', 'conflict'],
    [
      'an empty balance at Anthropic',
      anthropic('Your credit balance is too low.'),
      400,
      'anthropic',
      'billing',
    ],
    ['an unknown status', {}, 418, 'openai', 'invalid'],
    ['an unknown server status', {}, 599, 'openai', 'server'],
  ])('reads the class of %s', (_title, body, status, shape, expected) => {
    expect(fault(body, status, {}, shape).class).toBe(expected);
  });

  it('reads an error inside of a stream by its type', () => {
    expect(
      fault({ type: 'error', error: { type: 'overloaded_error', message: 'm' } }, 200, {}, 'anthropic'),
    ).toEqual({
      class: 'overloaded',
      message: 'm',
      status: 503,
      type: 'overloaded_error',
    });
  });

  it('reads the class of a stream error from a code that is an HTTP status', () => {
    expect(fault({ error: { message: 'm', code: 429 } }, 200)).toMatchObject({ class: 'rate', status: 429 });
  });

  it('mentions the status in the message of an error without a body', () => {
    expect(fault('<html>', 502)).toEqual({
      class: 'server',
      message: 'The provider responded with status 502 (Bad Gateway).',
      status: 502,
    });
  });

  it('replaces the status 424 of AWS, which clients do not support', () => {
    expect(fault({ message: 'm' }, 424, {}, 'aws').status).toBe(502);
  });

  it.each([
    [{ errors: ['too long'], id: 'x', name: 'bad_request' }, 'too long'],
    [{ err_code: 'X', err_msg: 'm', request_id: 'r' }, 'm'],
    [{ detail: { status: 's', message: 'm' } }, 'm'],
    [{ detail: [{ msg: 'a' }, { msg: 'b' }] }, 'a; b'],
    [{ title: 'm', status: 422 }, 'm'],
    [{ error_code: 'BAD', message: 'm' }, 'm'],
  ])('reads the message of %j', (body, message) => {
    expect(fault(body).message).toBe(message);
  });

  it('reads the field that Google reports as invalid', () => {
    const details = [{ fieldViolations: [{ field: 'contents', description: 'd' }] }];
    expect(fault({ error: { message: 'm', details } }, 400, {}, 'google').param).toBe('contents');
  });

  it('cuts a message of any length', () => {
    expect(fault({ message: 'm'.repeat(100_000) }).message).toHaveLength(8_192);
  });
});

describe('retry-after', () => {
  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    [{ 'x-ms-retry-after-ms': '250' }, 250],
    [{ 'retry-after': '20' }, 20_000],
    [{ 'retry-after': 'Thu, 26 Nov 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Thu, 26 Nov 2026 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'x-ratelimit-reset-tokens-minute': '33.5', 'x-ratelimit-remaining-tokens-minute': '0' }, 33_500],
    [{ 'x-ratelimit-reset-requests-day': '90', 'x-ratelimit-remaining-requests-day': '4' }, undefined],
    [{ 'x-ratelimit-reset-tokens': '1m2.5s', 'x-ratelimit-remaining-tokens': '0' }, 62_500],
    [{ 'x-ratelimit-reset-requests': '20ms', 'x-ratelimit-reset-tokens': '1s' }, 1_000],
    [{ 'x-ratelimit-reset-requests': '8h', 'x-ratelimit-remaining-requests': '5' }, undefined],
    [{ 'anthropic-ratelimit-tokens-reset': '2026-11-26T00:01:00Z' }, 60_000],
    [{ 'retry-after': '99999999' }, 86_400_000],
    [{}, undefined],
  ])('reads the retry delay from the headers %j', (headers, expected) => {
    expect(fault({ message: 'm' }, 429, headers).retryAfterMs).toBe(expected);
  });
});

function google(status: string, message: string): unknown {
  return { error: { code: 429, status, message } };
}

function anthropic(message: string): unknown {
  return { type: 'error', error: { type: 'invalid_request_error', message } };
}
