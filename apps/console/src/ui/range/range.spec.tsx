import { fireEvent, screen } from '@testing-library/react';
import { encodeRange, type Range } from '../../url';
import { momentOf } from '../format';
import { renderUi } from '../spec-support/render-ui';
import { clockChangeNote, parseRangeText, RangePicker, rangeWords } from '.';

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Santiago',
];
/** Saturday, 14:02 in Berlin. */
const now = Date.UTC(2026, 10, 28, 13, 2);
const read = (text: string, zone = 'Europe/Berlin', at = now): string | null => {
  const range = parseRangeText(text, at, zone);
  return range === null ? null : encodeRange(range);
};

describe('parseRangeText', () => {
  it.each([
    ['24h', '24h'],
    ['last 15 min', '15m'],
    ['2 weeks', '2w'],
    ['today', '2026-11-27T23:00Z..'],
    ['yesterday', '2026-11-26T23:00Z..2026-11-27T23:00Z'],
    ['last tue', '2026-11-23T23:00Z..2026-11-24T23:00Z'],
    ['saturday', '2026-11-20T23:00Z..2026-11-21T23:00Z'],
    ['this week', '2026-11-22T23:00Z..'],
    ['last month', '2026-09-30T22:00Z..2026-10-31T23:00Z'],
    ['13:30-14:00', '2026-11-28T12:30Z..2026-11-28T13:00Z'],
    ['13:30 – 13:45', '2026-11-28T12:30Z..2026-11-28T12:45Z'],
    ['22:00-23:00', '2026-11-27T21:00Z..2026-11-27T22:00Z'],
    ['13:30', '2026-11-28T12:30Z..'],
    ['2026-11-23', '2026-11-22T23:00Z..2026-11-23T23:00Z'],
    ['23 nov', '2026-11-22T23:00Z..2026-11-23T23:00Z'],
    ['24 dec', '2025-12-23T23:00Z..2025-12-24T23:00Z'],
    ['29 feb', '2024-02-28T23:00Z..2024-02-29T23:00Z'],
    ['2 sept', '2026-09-01T22:00Z..2026-09-02T22:00Z'],
    ['13:30 – now', '2026-11-28T12:30Z..'],
    ['2026-11-23 13:30 - now', '2026-11-23T12:30Z..'],
    ['2026-11-23 13:30 - 15:00', '2026-11-23T12:30Z..2026-11-23T14:00Z'],
    ['2026-11-23 22:00 - 2026-11-24 02:00', '2026-11-23T21:00Z..2026-11-24T01:00Z'],
    ['2026-11-23T13:30Z..2026-11-23T14:00Z', '2026-11-23T13:30Z..2026-11-23T14:00Z'],
  ])('reads %j', (text, range) => {
    expect(read(text)).toBe(range);
  });

  it.each(['', 'soon', '0h', '25:00-26:00', '2026-02-30', '31 feb', 'last', '-', '..', 'monkey', '2 marble'])(
    'returns null for %j',
    (text) => {
      expect(read(text)).toBeNull();
    },
  );

  it.each(ZONES)('returns whole days across every clock change in %s', (zone) => {
    for (let day = 1; day <= 365; day += 1) {
      const noon = Date.UTC(2026, 0, day, 12);
      const range = parseRangeText('yesterday', noon, zone);
      if (range?.kind !== 'absolute' || range.to === null) throw new Error('no range');
      const hours = (range.to - range.from) / 3_600_000;
      expect(hours).toBeGreaterThanOrEqual(23);
      expect(hours).toBeLessThanOrEqual(25);
      const again = parseRangeText('today', noon, zone);
      expect(again).toMatchObject({ from: range.to });
    }
  });
});

describe('rangeWords', () => {
  it('formats a range in the given zone', () => {
    const zone = 'Europe/Berlin';
    const from = momentOf({ year: 2026, month: 11, day: 28, hour: 13, minute: 30, second: 0 }, zone);
    expect(rangeWords({ kind: 'relative', span: '24h' }, now, zone)).toBe('Last 24 hours');
    expect(rangeWords({ kind: 'relative', span: '1h' }, now, zone)).toBe('Last hour');
    expect(rangeWords({ kind: 'absolute', from, to: null }, now, zone)).toBe('13:30 – now');
    expect(rangeWords({ kind: 'absolute', from, to: from + 1_800_000 }, now + 86_400_000, zone)).toBe(
      '28 Nov 2026, 13:30 – 14:00',
    );
  });

  it('returns a note when the clock changes within the range', () => {
    expect(clockChangeNote({ kind: 'relative', span: '90d' }, now, 'Europe/Berlin')).toContain(
      'clock changes',
    );
    expect(clockChangeNote({ kind: 'relative', span: '90d' }, now, 'UTC')).toBeNull();
  });
});

describe('RangePicker', () => {
  const onChange = jest.fn<void, [Range]>();
  const open = (): void => void fireEvent.click(screen.getByRole('button', { name: /^Time: / }));

  it('accepts presets and typed ranges', async () => {
    renderUi(<RangePicker range={{ kind: 'relative', span: '24h' }} onChange={onChange} />);
    open();
    fireEvent.click(await screen.findByRole('button', { name: 'Last 7 days' }));
    expect(onChange).toHaveBeenLastCalledWith({ kind: 'relative', span: '7d' });
    open();
    const box = await screen.findByRole('textbox', { name: 'Time as words' });
    fireEvent.change(box, { target: { value: 'soon' } });
    fireEvent.submit(box);
    expect(screen.getByRole('alert').textContent).toContain('Write a time such as');
    fireEvent.change(box, { target: { value: '500d' } });
    fireEvent.submit(box);
    expect(screen.getByRole('alert').textContent).toBe('A range has at most 366 days.');
    fireEvent.change(box, { target: { value: '3h' } });
    fireEvent.submit(box);
    expect(onChange).toHaveBeenLastCalledWith({ kind: 'relative', span: '3h' });
  });

  it('moves back by the length of the range with Alt and the arrow key', () => {
    renderUi(<RangePicker as="segments" range={{ kind: 'relative', span: '1h' }} onChange={onChange} />);
    expect(screen.getByRole('button', { name: '1 h' }).getAttribute('aria-pressed')).toBe('true');
    fireEvent.keyDown(document.body, { key: 'ArrowLeft', altKey: true });
    const [range] = onChange.mock.lastCall ?? [];
    expect(range?.kind === 'absolute' && range.to !== null && range.to - range.from).toBe(3_600_000);
  });
});
