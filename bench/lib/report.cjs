'use strict';

/** Returns the median of the values that are not null or undefined; null when there are none. */
function median(values) {
  const sorted = values.filter((value) => value !== null && value !== undefined).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const shown = (value, digits = 0) =>
  value === null || value === undefined || Number.isNaN(value) ? '–' : value.toFixed(digits);

function markdown(header, rows) {
  const cells = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map((row) => line(row))].join(
    '\n',
  );
}

/** Returns the medians over the rounds. `added…`: the difference to the stub in the same round. */
function figuresOf(contestant, rounds) {
  const of = (read) =>
    median(
      rounds.map((round) => {
        const mine = round[contestant.id];
        return mine ? read(mine, round.direct ?? {}) : null;
      }),
    );
  const added = (phase, read) =>
    of((mine, direct) => (mine[phase] && direct[phase] ? read(mine[phase]) - read(direct[phase]) : null));
  return {
    id: contestant.id,
    name: contestant.name,
    cpuUs: of(({ closed }) => closed?.cpuUs),
    perSecond: of(({ closed }) => closed?.perSecond),
    busy: of(({ closed }) => closed?.busy),
    addedP50Ms: added('rate', ({ p50 }) => p50),
    addedP99Ms: added('rate', ({ p99 }) => p99),
    addedFirstMs: added('streams', ({ first }) => first.p50),
    chunkUs: of(({ streams }) => streams?.cpuUs),
    residentMb: of(({ streams }) => (streams ? streams.residentBytes / 1_048_576 : null)),
  };
}

/** A proxy that used less of its core than this waited for the load generator. */
const BUSY_MIN = 0.93;

function table(figures) {
  const rows = figures.map((figure) => [
    figure.id.includes('@') ? `${figure.name} (Node ${figure.id.split('@')[1]})` : figure.name,
    shown(figure.cpuUs, 1),
    `${figure.busy < BUSY_MIN ? '> ' : ''}${shown(figure.perSecond)}`,
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

function bars(figures, versions) {
  const byId = new Map(figures.map((figure) => [figure.id, figure]));
  const results = [];
  for (const version of versions) {
    const ours = byId.get(`gateway@${version}`);
    for (const { other, most, label } of BARS) {
      const theirs = byId.get(other === 'nginx' ? 'nginx' : `${other}@${version}`);
      const ratio = ours && theirs ? ours.cpuUs / theirs.cpuUs : null;
      results.push({ version, label, most, ratio, holds: ratio === null ? null : ratio <= most });
    }
  }
  return results;
}

const barLine = ({ version, label, most, ratio, holds }) =>
  `${holds === null ? 'not measured' : holds ? 'holds' : 'MISSED'}: Node ${version}, ${label} ` +
  `(ratio ${shown(ratio, 3)}, bar ${shown(most, 3)})`;

/** Returns a table of what each step costs: the difference to the run with all features on. */
function stageTable(figures) {
  const full = figures[0].cpuUs;
  const rows = figures.map(({ name, cpuUs, perSecond }) => [
    name,
    shown(cpuUs, 1),
    shown(cpuUs - full, 1),
    shown(perSecond),
  ]);
  return markdown(['Gateway', 'CPU µs/request', 'difference', 'requests/s'], rows);
}

module.exports = { barLine, bars, figuresOf, markdown, median, shown, stageTable, table };
