import type { AttemptEnd, RoutingEvent } from '@gw/contracts';
import { waterfallText } from '../../../messages/en/waterfall';
import { laneWords } from '../lane-words';
import { TONES, waterfallLayout } from '../waterfall-layout';
import type { Lane, WaterfallRecord } from '../waterfall-lanes';

/** Maximum uncovered time of a request in milliseconds. */
const TOLERANCE_MS = 1;

/**
 * Milliseconds of the request that no lane covers. Guardrail lanes do not count, because they
 * overlap other lanes.
 */
export function uncoveredMs(lanes: readonly Lane[], totalMs: number): number {
  const spans = lanes
    .filter(({ kind }) => kind !== 'guardrail')
    .map((lane) => [lane.from - (lane.kind === 'attempt' ? lane.leadMs : 0), lane.to] as const)
    .sort(([one], [other]) => one - other);
  let [cursor, uncovered] = [0, 0];
  for (const [from, to] of spans) {
    uncovered += Math.max(0, from - cursor);
    cursor = Math.max(cursor, to);
  }
  return uncovered + Math.max(0, totalMs - cursor);
}

/**
 * Returns the faults of a log's waterfall, one sentence for each: time that no lane covers, a lane
 * that exceeds the request or has a negative length, and an end or event without a text.
 */
export function drawingFaultsOf(record: WaterfallRecord): readonly string[] {
  const { lanes, totalMs } = waterfallLayout(record);
  const faults: string[] = [];
  if (totalMs > record.durationMs + TOLERANCE_MS)
    faults.push(`${String(totalMs)} ms are drawn of a request of ${String(record.durationMs)} ms.`);
  const uncovered = uncoveredMs(lanes, totalMs);
  if (!(uncovered < TOLERANCE_MS)) faults.push(`${String(uncovered)} ms are covered by no lane.`);
  for (const lane of lanes) {
    if (!(lane.from >= 0 && lane.to >= lane.from && lane.to <= totalMs))
      faults.push(`Lane ${lane.key} is drawn from ${String(lane.from)} to ${String(lane.to)} ms.`);
    const { name, label, facts } = laneWords(lane);
    // Only the label is checked for these words, because providers and guardrails can have any
    // name.
    if ([name, label, ...facts].includes('') || /undefined|NaN/.test(label))
      faults.push(`Lane ${lane.key} lacks a word: ${JSON.stringify([name, label, ...facts])}.`);
  }
  return [...faults, ...wordFaultsOf(record.decision)];
}

/** Returns the faults of ends and events without a text. */
function wordFaultsOf({ attempts = [], routing = [] }: WaterfallRecord['decision']): readonly string[] {
  const hasText = (word: string, name: string): boolean => word !== '' && word !== name;
  const ends = attempts
    .map(({ end }) => end)
    .filter((end: AttemptEnd) => !Object.hasOwn(TONES, end) || !hasText(waterfallText.endLong(end), end))
    .map((end) => `The end ${end} has no text.`);
  const events = routing
    .map(({ event }) => event)
    .filter((event: RoutingEvent['event']) => !hasText(waterfallText.eventLong(event), event))
    .map((event) => `The event ${event} has no text.`);
  return [...ends, ...events];
}
