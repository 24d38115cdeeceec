import type { LogRecord } from './log-record';
import { completeLogRecord } from './shipped-log-record';

describe('completeLogRecord', () => {
  it('adds the omitted members, and changes no member that is present', () => {
    const shipped = {
      id: '1',
      usage: { inputTokens: 3, outputTokens: 2, reasoningTokens: 1 },
      decision: { config: { source: 'none' }, attempts: [{ target: 'config', status: 200 }], stages: {} },
    } as unknown as LogRecord;
    const whole = completeLogRecord(shipped);
    expect(whole).toMatchObject({
      id: '1',
      spanId: null,
      errorType: null,
      streamed: false,
      metadata: {},
      usage: { inputTokens: 3, cacheReadTokens: 0, reasoningTokens: 1 },
      decision: {
        limits: [],
        price: null,
        attempts: [{ target: 'config', status: 200, retry: 0, reason: null }],
      },
    });
    expect(completeLogRecord(whole)).toEqual(whole);
  });

  it.each([{}, { usage: null }, { decision: null }, { decision: { attempts: 5 } }, { usage: 'x' }])(
    'accepts %j without throwing, so that no record is lost because of one member',
    (shipped) => {
      expect(() => completeLogRecord(shipped as unknown as LogRecord)).not.toThrow();
    },
  );
});
