import { callSpanId, spanIdOf, traceIdOf } from './span-ids';

const UUID = '019ad000-0000-7000-8000-00000000000f';

describe('traceIdOf', () => {
  it('removes the dashes from a UUID in any case', () => {
    const hex = UUID.replaceAll('-', '');
    expect(traceIdOf(UUID)).toBe(hex);
    expect(traceIdOf(UUID.toUpperCase())).toBe(hex);
    expect(traceIdOf(hex)).toBe(hex);
  });

  it.each(['00000000-0000-0000-0000-000000000000', '0'.repeat(32), '', 'a trace', `${UUID}0`, ` ${UUID}`])(
    'hashes %j, always to the same id',
    (text) => {
      const id = traceIdOf(text);
      expect(id).toMatch(/^(?!0+$)[0-9a-f]{32}$/);
      expect(traceIdOf(text)).toBe(id);
    },
  );
});

describe('spanIdOf', () => {
  it('keeps an id in the W3C form, and hashes other texts', () => {
    expect(spanIdOf('00F067AA0BA902B7')).toBe('00f067aa0ba902b7');
    expect(spanIdOf('0'.repeat(16))).toMatch(/^(?!0+$)[0-9a-f]{16}$/);
  });

  it('gives each call of a request its own span id', () => {
    expect(callSpanId(UUID, 0)).toBe(spanIdOf(`${UUID} 0`));
    expect(callSpanId(UUID, 1)).not.toBe(callSpanId(UUID, 0));
  });
});
