import type { AttemptEnd } from '@gw/contracts';
import { screen } from '@testing-library/react';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_NAMES, waterfallText } from '../../messages/en/waterfall';
import { renderUi } from '../spec-support/render-ui';
import { drawingFaultsOf } from './spec-support/drawing-faults';
import { TONES } from './waterfall-layout';
import { Waterfall, type WaterfallRecord } from '.';

/** Logs that end-to-end suites have produced; `node tools/recorded-logs.cjs` writes the file. */
const RECORDED = readFileSync(join(__dirname, 'spec-support/recorded-logs.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as WaterfallRecord);

describe('waterfalls of recorded logs', () => {
  it('cover the request to within 1 ms and have a text for every part', () => {
    expect(RECORDED.map(drawingFaultsOf).flat()).toEqual([]);
  });

  it('include every possible end of a call', () => {
    const attempts = RECORDED.flatMap(({ decision }) => decision.attempts ?? []);
    const ends = Object.keys(TONES) as AttemptEnd[];
    expect(ends.filter((end) => !attempts.some((attempt) => attempt.end === end))).toEqual([]);
  });

  it.each(EVENT_NAMES)('show a text for the event %s at a call of its target', (event) => {
    const record = RECORDED.find(({ decision }) => (decision.attempts?.length ?? 0) > 1);
    const target = record?.decision.attempts?.[0]?.target ?? '';
    const routing = [{ target, event }];
    renderUi(<Waterfall record={{ ...record!, decision: { ...record!.decision, routing } }} />);
    const lanes = screen.getAllByRole('listitem');
    expect(lanes.filter(({ textContent }) => textContent.includes(waterfallText.event(event)))).toHaveLength(
      1,
    );
    const facts = lanes.map(({ title }) => title).join('\n');
    expect(facts).toContain(waterfallText.eventLong(event));
  });

  it('render a lane for each part', () => {
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
