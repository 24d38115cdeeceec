import fc from 'fast-check';
import { nextSlots, type Slot } from './slots';

const rows = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, at) => `r${String(from + at)}`);
const idsOf = (slots: readonly Slot[]): string[] => slots.map(({ id }) => id);

describe('nextSlots', () => {
  it('reuses elements for entering rows while scrolling, and keeps their order', () => {
    const first = nextSlots([], rows(0, 5), false);
    const scrolled = nextSlots(first, rows(2, 7), true);
    expect(idsOf(scrolled)).toEqual(['r5', 'r6', 'r2', 'r3', 'r4']);
    expect(scrolled.map(({ slot }) => slot)).toEqual(first.map(({ slot }) => slot));
  });

  it('returns the list order when not scrolling, and keeps the element of each row', () => {
    const scrolled = nextSlots(nextSlots([], rows(0, 5), false), rows(2, 7), true);
    const still = nextSlots(scrolled, rows(2, 7), false);
    expect(idsOf(still)).toEqual(rows(2, 7));
    expect(new Map(still.map(({ id, slot }) => [id, slot]))).toEqual(
      new Map(scrolled.map(({ id, slot }) => [id, slot])),
    );
  });

  it('keeps the element of a row that stays rendered, such as the active one', () => {
    const first = nextSlots([], rows(0, 5), false);
    const away = nextSlots(first, ['r0', ...rows(90, 95)], true);
    expect(away[0]).toEqual(first[0]);
  });

  it('assigns each visible row exactly one element', () => {
    const window = fc.record({
      from: fc.integer({ min: 0, max: 60 }),
      length: fc.integer({ min: 0, max: 20 }),
      isScrolling: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(window, { maxLength: 20 }), (windows) => {
        let slots: readonly Slot[] = [];
        for (const { from, length, isScrolling } of windows) {
          const ids = rows(from, from + length);
          slots = nextSlots(slots, ids, isScrolling);
          expect(idsOf(slots).sort()).toEqual([...ids].sort());
          expect(new Set(slots.map(({ slot }) => slot)).size).toBe(length);
        }
      }),
    );
  });
});
