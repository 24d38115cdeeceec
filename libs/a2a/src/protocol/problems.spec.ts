import {
  A2aError,
  agentFailure,
  restFailure,
  rpcFailure,
  translateError,
  type GatewayProblem,
} from '../index';

const LIMITED: GatewayProblem = {
  ...{ code: 31_429, status: 429, message: 'Too many.', type: 'rate_limited' },
  facts: { limit: 5, policyId: null },
};
const PLAIN: GatewayProblem = { code: -32_603, status: 500, message: 'No.', type: null, facts: {} };
const INFO = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  ...{ reason: 'RATE_LIMITED', domain: 'tollgate', metadata: { limit: '5' } },
};

describe('rpcFailure and restFailure', () => {
  it('write the facts of a problem in the form of each version', () => {
    const head = { code: 31_429, message: 'Too many.' };
    expect(rpcFailure(LIMITED, '1.0')).toEqual({ ...head, data: [INFO] });
    expect(rpcFailure(LIMITED, '0.3')).toEqual({
      ...head,
      data: { type: 'rate_limited', limit: 5, policyId: null },
    });
    expect(restFailure(LIMITED, '1.0')).toEqual({
      status: 429,
      body: {
        error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Too many.', details: [INFO] },
      },
    });
    expect(restFailure(LIMITED, '0.3')).toMatchObject({ status: 429, body: { ...head } });
  });

  it('write no facts for a problem without a type', () => {
    expect(rpcFailure(PLAIN, '1.0')).toEqual({ code: -32_603, message: 'No.' });
    expect(restFailure(PLAIN, '1.0')).toEqual({
      ...{ status: 500, body: { error: { code: 500, status: 'INTERNAL', message: 'No.' } } },
    });
    expect(restFailure(PLAIN, '0.3').body).toEqual({ code: -32_603, message: 'No.' });
  });
});

describe('agentFailure', () => {
  it('keeps the meaning of known codes', () => {
    const failure = agentFailure({ code: -32_001, message: 'Gone.', data: 'secret' });
    expect(failure).toBeInstanceOf(A2aError);
    expect(failure).toMatchObject({ kind: 'taskNotFound' });
    expect(JSON.stringify(translateError({ code: -32_001, data: 'secret' }, '1.0'))).not.toContain('secret');
  });

  it.each([
    [
      { code: 17, message: 'Mine.', data: { key: 'secret' } },
      { code: 17, message: 'Mine.' },
    ],
    [
      { code: 1.5, message: 'Half.' },
      { code: -32_603, message: 'Half.' },
    ],
    [{ code: '17' }, { code: -32_603 }],
    [null, { code: -32_603 }],
    ['text', { code: -32_603 }],
  ])('keeps only the code of other integers: %j', (error, expected) => {
    const shown = translateError(error, '1.0');
    expect(shown).toMatchObject(expected);
    expect(JSON.stringify(shown)).not.toContain('secret');
  });
});
