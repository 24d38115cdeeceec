import { LOG_COLUMNS, ZONE_TERM_COLUMNS, type ZoneTermColumn } from '../rows/log-columns';
import { noTerms, termOf, TERMS_BITS, termsText, type Terms } from './log-terms';

/**
 * Bits that `gpt-4o` sets in each column's Bloom filter, as databases of every release hold them.
 * Never change a line; add to them.
 */
const STORED: Readonly<Record<string, readonly [number, number]>> = {
  api_key_id: [8, 22],
  user_id: [136, 150],
  provider: [264, 278],
  credential: [392, 406],
  model: [520, 534],
  route: [648, 662],
  outcome: [776, 790],
  error_type: [904, 918],
  config_id: [1032, 1046],
  cache_status: [1160, 1174],
  span_name: [1288, 1302],
  method: [1416, 1430],
  response_model: [1544, 1558],
  integration_id: [1672, 1686],
  config_version_id: [1800, 1814],
  prompt_id: [1928, 1942],
  prompt_slug: [2056, 2070],
  priced: [2184, 2198],
  gateway_id: [2312, 2326],
  streamed: [2440, 2454],
  status: [2568, 2582],
};

const bitsOf = (terms: Terms): number[] =>
  Array.from(terms).flatMap((word, index) =>
    Array.from({ length: 32 }, (_, bit) => bit)
      .filter((bit) => (word & (1 << (31 - bit))) !== 0)
      .map((bit) => index * 32 + bit),
  );

describe('Bloom filters of zone maps', () => {
  it.each(Object.entries(STORED))('keep the bits that databases store for %s', (name, bits) => {
    expect(bitsOf(termOf(name as ZoneTermColumn, 'gpt-4o'))).toEqual(bits);
  });

  it('have a unique number for each column with a Bloom filter', () => {
    expect([...ZONE_TERM_COLUMNS].sort()).toEqual(Object.keys(STORED).sort());
    expect(new Set(ZONE_TERM_COLUMNS.map((name) => LOG_COLUMNS[name].zoneBits)).size).toBe(
      ZONE_TERM_COLUMNS.length,
    );
  });

  it('fit the width of the database column, which only a migration changes', () => {
    expect(TERMS_BITS).toBe(2_688);
    expect(termsText(noTerms())).toHaveLength(1 + 2_688 / 4);
    expect(Math.max(...ZONE_TERM_COLUMNS.map((name) => LOG_COLUMNS[name].zoneBits))).toBeLessThan(
      TERMS_BITS / 128,
    );
  });
});
