import type { AttemptEnd } from '@gw/contracts';
import { screen } from '@testing-library/react';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_NAMES } from '../../messages/en/waterfall';
import { renderUi } from '../spec-support/render-ui';
import { drawingFaultsOf } from './spec-support/drawing-faults';
import { TONES } from './waterfall-layout';
import { Waterfall, type WaterfallRecord } from '.';

/** Logs that the product's own suites made; `node tools/recorded-logs.cjs` writes them. */
const RECORDED = readFileSync(join(__dirname, 'spec-support/recorded-logs.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as WaterfallRecord);

describe('waterfalls of recorded logs', () => {
  it('cover the request to 1 ms, and have a word for everything', () => {
    expect(RECORDED.map(drawingFaultsOf).flat()).toEqual([]);
  });

  it('are of every end and every event that a record may have', () => {
    const attempts = RECORDED.flatMap(({ decision }) => decision.attempts ?? []);
    const events = RECORDED.flatMap(({ decision }) => decision.routing ?? []);
    const ends = Object.keys(TONES) as AttemptEnd[];
    expect(ends.filter((end) => !attempts.some((attempt) => attempt.end === end))).toEqual([]);
    expect(EVENT_NAMES.filter((name) => !events.some(({ event }) => event === name))).toEqual([]);
  });

  it('are drawn with a lane for each part', () => {
    for (const record of RECORDED) {
      const { unmount } = renderUi(<Waterfall record={record} />);
      const lanes = screen.getAllByRole('listitem');
      const parts = (record.decision.attempts?.length ?? 0) + (record.decision.guardrails?.length ?? 0);
      expect(lanes.length).toBeGreaterThanOrEqual(parts + 1);
      for (const lane of lanes) expect(lane.textContent).not.toMatch(/undefined|NaN/);
      unmount();
    }
  });
});
