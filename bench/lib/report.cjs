'use strict';

/** @typedef {import('./measure.cjs').Round} Round */
/** @typedef {Round[string]} Measured */
/** @typedef {ReturnType<typeof figuresOf>} Figures */

/**
 * Returns the median of the values that are not null or undefined; null when there are none.
 * @param {readonly (number | null | undefined)[]} values
 */
function median(values) {
  const sorted = values.filter((value) => value !== null && value !== undefined).sort((a, b) => a - b);
  const [low = null, high = low] = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return low === null || high === null ? null : (low + high) / 2;
}

/**
 * @param {number | null | undefined} value
 * @param {number} digits
 */
const shown = (value, digits = 0) =>
  value === null || value === undefined || Number.isNaN(value) ? '–' : value.toFixed(digits);

/**
 * @param {readonly string[]} header
 * @param {readonly (readonly string[])[]} rows
 */
function markdown(header, rows) {
  const cells = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map((row) => line(row))].join(
    '\n',
  );
}

/**
 * Returns the medians over the rounds. `added…`: the difference to the stub in the same round.
 * @param {Pick<import('./measure.cjs').Contestant, 'id' | 'name'>} contestant
 * @param {readonly Round[]} rounds
 */
function figuresOf(contestant, rounds) {
  const of = (/** @type {(mine: Measured, direct: Partial<Measured>) => number | null | undefined} */ read) =>
    median(
      rounds.map((round) => {
        const mine = round[contestant.id];
        return mine ? read(mine, round.direct ?? {}) : null;
      }),
    );
  /** @param {(measured: Partial<Measured>) => number | undefined} read */
  const added = (read) =>
    of((mine, direct) => {
      const [own, least] = [read(mine), read(direct)];
      return own === undefined || least === undefined ? null : own - least;
    });
  return {
    id: contestant.id,
    name: contestant.name,
    cpuUs: of(({ closed }) => closed.cpuUs),
    perSecond: of(({ closed }) => closed.perSecond),
    busy: of(({ closed }) => closed.busy),
    addedP50Ms: added(({ rate }) => rate?.p50),
    addedP99Ms: added(({ rate }) => rate?.p99),
    addedFirstMs: added(({ streams }) => streams?.first.p50),
    chunkUs: of(({ streams }) => streams?.cpuUs),
    residentMb: of(({ streams }) => (streams ? streams.residentBytes / 1_048_576 : null)),
  };
}

/**
 * Returns the microseconds of CPU of a request of a contestant in a round.
 * @param {Round} round
 * @param {string} id
 */
function cpuOf(round, id) {
  const measured = round[id];
  if (measured === undefined) throw new Error(`${id} was not measured.`);
  return measured.closed.cpuUs;
}

/** A proxy that used less of its core than this waited for the load generator. */
const BUSY_MIN = 0.93;

/** @param {readonly Figures[]} figures */
function table(figures) {
  const rows = figures.map((figure) => [
    figure.id.includes('@') ? `${figure.name} (Node ${figure.id.split('@')[1]})` : figure.name,
    shown(figure.cpuUs, 1),
    `${(figure.busy ?? 0) < BUSY_MIN ? '> ' : ''}${shown(figure.perSecond)}`,
    shown(figure.addedP50Ms, 2),
    shown(figure.addedP99Ms, 2),
    shown(figure.addedFirstMs, 2),
    shown(figure.chunkUs, 1),
    shown(figure.residentMb),
  ]);
  return markdown(
    [
      'Contestant',
      'CPU µs/request',
      'requests/s',
      'added p50 ms',
      'added p99 ms',
      'first chunk +ms',
      'CPU µs/chunk',
      'MB at 200 streams',
    ],
    rows,
  );
}

/** Bars on CPU per request, with all features on. `most`: the highest ratio to the other contestant. */
const BARS = [
  { other: 'peer', most: 1 / 8, label: 'at most 1/8 of @portkey-ai/gateway' },
  {
    other: 'peer',
    most: 1 / 5,
    label: 'at most 1/5 of @portkey-ai/gateway (with the dependencies it was built with)',
  },
  { other: 'http', most: 1, label: 'below node:http piping' },
  { other: 'nginx', most: 7, label: 'at most 7 times nginx' },
  { other: 'undici', most: 1.6, label: 'at most 1.6 times bare undici dispatch' },
];

/**
 * @param {readonly Figures[]} figures
 * @param {readonly string[]} versions
 */
function bars(figures, versions) {
  const byId = new Map(figures.map((figure) => [figure.id, figure]));
  const results = [];
  for (const version of versions) {
    const ours = byId.get(`gateway@${version}`);
    for (const { other, most, label } of BARS) {
      const theirs = byId.get(other === 'nginx' ? 'nginx' : `${other}@${version}`);
      const ratio = ours?.cpuUs && theirs?.cpuUs ? ours.cpuUs / theirs.cpuUs : null;
      results.push({ version, label, most, ratio, holds: ratio === null ? null : ratio <= most });
    }
  }
  return results;
}

/** @param {ReturnType<typeof bars>[number]} bar */
const barLine = ({ version, label, most, ratio, holds }) =>
  `${holds === null ? 'not measured' : holds ? 'holds' : 'MISSED'}: Node ${version}, ${label} ` +
  `(ratio ${shown(ratio, 3)}, bar ${shown(most, 3)})`;

/**
 * Returns a table of what each step costs: the difference to the run with all features on.
 * @param {readonly Figures[]} figures
 */
function stageTable(figures) {
  const full = figures[0]?.cpuUs ?? NaN;
  const rows = figures.map(({ name, cpuUs, perSecond }) => [
    name,
    shown(cpuUs, 1),
    shown((cpuUs ?? NaN) - full, 1),
    shown(perSecond),
  ]);
  return markdown(['Gateway', 'CPU µs/request', 'difference', 'requests/s'], rows);
}

module.exports = { barLine, bars, cpuOf, figuresOf, markdown, median, shown, stageTable, table };
