import { act, fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import {
  Badge,
  CopyButton,
  Count,
  Delta,
  Duration,
  FormatProvider,
  Id,
  Kbd,
  KeyValues,
  Moment,
  Money,
  Percent,
  ProviderMark,
  StatusBadge,
  Tokens,
} from '.';

const show = (node: ReactNode) =>
  render(<FormatProvider zone="Europe/Berlin">{node}</FormatProvider>).container;

describe('values', () => {
  it('show exact money with the last four decimals dimmed, and rounded money with the exact value in the tooltip', () => {
    expect(show(<Money e8={342_000n} />).innerHTML).toContain('0.0034<span class="muted">2000</span>');
    const human = show(<Money e8={41_238_114_260n} as="human" priced="estimated" />);
    expect(human.textContent).toBe('≈ $412.38');
    const titleOf = (shown: HTMLElement) => shown.querySelector('[title]')?.getAttribute('title');
    expect(titleOf(human)).toMatch(/^about 412\.38114260 USD\. Estimated: /);
    expect(titleOf(show(<Money e8={41_238_114_260n} as="human" />))).toBe('exactly 412.38114260 USD');
  });

  it('explain why an amount is unknown', () => {
    expect(show(<Money e8={null} priced="unpriced" />).textContent).toContain('unpriced');
    expect(show(<Money e8={0n} />).textContent).toBe('0');
  });

  it('show a moment in the zone of the viewer and both in the tooltip', () => {
    const time = show(<Moment at="2026-11-23T13:02:11.482Z" as="list" />).querySelector('time');
    expect(time?.textContent).toBe('14:02:11.482');
    expect(time?.title.split('\n')).toHaveLength(2);
    expect(show(<Moment at={null} />).textContent).toBe('–');
    expect(show(<Moment at={Date.now() - 120_000} withAge />).textContent).toMatch(/, 2 min ago$/);
  });

  it('colour a change only when one direction is better', () => {
    expect(show(<Delta value={0.11} better="down" />).querySelector('.tone-danger')?.textContent).toBe(
      '+11.0 %',
    );
    expect(
      show(<Delta value={-140} unit="duration" better="down" />).querySelector('.tone-ok')?.textContent,
    ).toBe('−140 ms');
    expect(show(<Delta value={0.11} />).querySelector('.muted')?.textContent).toBe('+11.0 %');
  });

  it('show counts, durations, percentages and tokens', () => {
    expect(show(<Count value={184_203} compact />).textContent).toBe('184k');
    expect(show(<Duration ms={3260} />).textContent).toBe('3.26 s');
    expect(show(<Percent ratio={0.0062} />).textContent).toBe('0.62 %');
    expect(show(<Tokens input={868} output={113} />).textContent).toBe('868 + 113');
  });

  it('show states as words', () => {
    expect(show(<StatusBadge status={446} />).querySelector('.badge-violet')?.textContent).toBe('446');
    expect(show(<StatusBadge status={200} word="cut" />).textContent).toBe('cut');
    expect(show(<Badge icon="lock">locked</Badge>).textContent).toBe('locked');
    expect(show(<ProviderMark provider="openai">gpt-4o</ProviderMark>).textContent).toBe('Ogpt-4o');
    expect(show(<Kbd keys={['Ctrl', 'K']} />).querySelectorAll('kbd')).toHaveLength(2);
  });
});

describe('KeyValues', () => {
  it('shows two items with the same name, such as workspaces', () => {
    const errors = jest.spyOn(console, 'error').mockImplementation();
    const list = show(
      <KeyValues
        items={[
          ['Search', 'member'],
          ['Search', 'admin'],
        ]}
      />,
    );
    expect([...list.querySelectorAll('dd')].map(({ textContent }) => textContent)).toEqual([
      'member',
      'admin',
    ]);
    expect(errors).not.toHaveBeenCalled();
  });
});

describe('CopyButton', () => {
  const writeText = jest.fn<Promise<void>, [string]>(() => Promise.resolve());
  beforeEach(() =>
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } }),
  );

  it('copies and confirms it', async () => {
    show(<CopyButton text={() => 'curl …'} label="Copy as curl" />);
    await act(async () => {
      fireEvent.click(screen.getByRole('button'));
      await Promise.resolve();
    });
    expect(writeText).toHaveBeenCalledWith('curl …');
    expect(screen.getByRole('button').textContent).toBe('Copied');
  });

  it('reports when the browser refuses', async () => {
    writeText.mockRejectedValueOnce(new Error('denied'));
    show(<Id id="01a208ab-ebd2-7306-8a54-000000000000" />);
    const button = screen.getByRole('button');
    expect(button.textContent).toBe('01a208ab-ebd2-7306');
    await act(async () => {
      fireEvent.click(button);
      await Promise.resolve();
    });
    expect(writeText).toHaveBeenLastCalledWith('01a208ab-ebd2-7306-8a54-000000000000');
  });
});
