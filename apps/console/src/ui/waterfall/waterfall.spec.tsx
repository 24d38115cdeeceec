import type { AttemptEnd, GuardrailRecord, RoutingEvent } from '@gw/contracts';
import { fireEvent, screen } from '@testing-library/react';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waterfallText } from '../../messages/en/waterfall';
import { renderUi } from '../spec-support/render-ui';
import { Waterfall, type Lane, type WaterfallRecord } from '.';

const common = {
  target: 'config.targets[0]',
  provider: 'openai',
  credential: 'openai-prod',
  model: 'gpt-4o',
  reason: null,
} as const;
const record: WaterfallRecord = {
  durationMs: 3260,
  firstByteMs: 1451,
  streamed: true,
  outputTokens: 110,
  decision: {
    attempts: [
      { ...common, retry: 0, status: 503, end: 'status', startedMs: 0.4, durationMs: 212 },
      { ...common, retry: 1, status: 503, end: 'status', startedMs: 852, durationMs: 181 },
      {
        ...common,
        target: 'config.targets[1]',
        credential: 'azure-eu',
        retry: 0,
        status: 200,
        end: 'answered',
        startedMs: 1037,
        durationMs: 400,
      },
    ],
    routing: [{ target: 'config.targets[0]', event: 'breaker_opened' }],
    stages: { admit: 0.2, accept: 0.1, later: 0.1 },
  },
};

/**
 * Reads the members of a string union from the source of the log record, so that the test notices
 * new members.
 */
function membersOf(declaration: RegExp): readonly string[] {
  const source = readFileSync(join(__dirname, '../../../../../libs/contracts/src/log-record.ts'), 'utf8');
  const block = declaration.exec(source.replaceAll(/\/\*\*[^*]*\*\//g, ''))?.[1] ?? '';
  return [...block.matchAll(/\|\s*'([a-z_]+)'/g)].map(([, name]) => name ?? '');
}

describe('texts of the waterfall', () => {
  it('have a text for every end of an attempt', () => {
    const ends = membersOf(/type AttemptEnd =([\s\S]*?);/) as readonly AttemptEnd[];
    expect(ends.length).toBeGreaterThanOrEqual(11);
    for (const end of ends) {
      expect(waterfallText.endLong(end)).toMatch(/^[A-Z].*\.$/);
      expect(waterfallText.end(end)).not.toContain('_');
    }
  });

  it('have a text for every routing event', () => {
    const events = membersOf(/readonly event:([\s\S]*?);\n\}/) as readonly RoutingEvent['event'][];
    expect(events.length).toBeGreaterThanOrEqual(14);
    for (const event of events) {
      expect(waterfallText.eventLong(event)).toMatch(/^[A-Z].*\.$/);
      expect(waterfallText.event(event)).not.toContain('_');
    }
  });
});

describe('Waterfall', () => {
  it('describes each lane', () => {
    renderUi(<Waterfall record={record} />);
    expect(screen.getByRole('heading').textContent).toBe('Where the 3.26 s went');
    expect(screen.getAllByRole('listitem').map((lane) => lane.textContent)).toEqual([
      'Gateway, before3 stages: headers, limits, later400 µs',
      'O@openai-prodtargets[0] · first try503 after 212 ms',
      'Waitedback-off before the retry640 ms',
      'O@openai-prodtargets[0] · retry 1503 after 181 ms · breaker opened',
      'Gateway, between4 ms',
      'O@azure-eutargets[1] · answeredfirst token 414 ms · 61 tok/s',
    ]);
  });

  it('selects a lane by click, and deselects it by another click', () => {
    const onSelect = jest.fn<void, [Lane | null]>();
    const { rerender } = renderUi(<Waterfall record={record} onSelect={onSelect} />);
    fireEvent.click(screen.getByRole('button', { name: /azure-eu/ }));
    expect(onSelect.mock.lastCall?.[0]).toMatchObject({
      kind: 'attempt',
      attempt: { credential: 'azure-eu' },
    });
    rerender(<Waterfall record={record} onSelect={onSelect} selected="attempt2" />);
    expect(screen.getByRole('button', { name: /azure-eu/ }).getAttribute('aria-pressed')).toBe('true');
    fireEvent.click(screen.getByRole('button', { name: /azure-eu/ }));
    expect(onSelect).toHaveBeenLastCalledWith(null);
  });

  it('calls a failed check failed, which its guardrail may have denied for', () => {
    const check = { id: 'pii', verdict: false, error: null, durationMs: 3 };
    const guardrail = {
      ...{ stage: 'output', id: 'guard', versionId: null, verdict: false, deny: true, async: false },
      ...{ monitor: false, transformed: false, durationMs: 4, feedback: null, checks: [check] },
    } as unknown as GuardrailRecord;
    renderUi(<Waterfall record={{ ...record, decision: { ...record.decision, guardrails: [guardrail] } }} />);
    const lane = screen.getAllByRole('listitem').find(({ textContent }) => textContent.startsWith('guard'));
    expect(lane?.textContent).toContain('denied');
    expect(lane?.title.split('\n').at(-1)).toBe('pii: failed, 3 ms');
  });

  it('reports that no provider was called', () => {
    renderUi(<Waterfall record={{ ...record, durationMs: 3, decision: {} }} />);
    expect(screen.getByText('No provider was called.')).toBeTruthy();
  });
});
