import { screen } from '@testing-library/react';
import fc from 'fast-check';
import { renderUi } from '../spec-support/render-ui';
import { Meter, meterTone } from './meter';
import { sparkPath } from './spark-path';
import { Spark } from './spark';

describe('Meter', () => {
  it('shows used and reserved amounts, the alert and the forecast, with an accessible text', () => {
    renderUi(
      <Meter
        label="Workspace"
        used={3000}
        held={200}
        limit={4000}
        alertAt={3200}
        forecast={5000}
        value="$3,000 of $4,000"
        valueText="$3,000 of $4,000 used"
      >
        Runs out 27 Nov
      </Meter>,
    );
    const bar = screen.getByRole('meter', { name: 'Workspace' });
    expect(bar.getAttribute('aria-valuenow')).toBe('3000');
    expect(bar.getAttribute('aria-valuetext')).toContain('reserved by requests in flight');
    const widths = [...bar.querySelectorAll<HTMLElement>('i, u')].map(
      ({ className, style }) => `${className} ${style.left} ${style.width}`,
    );
    expect(widths).toEqual(['meter-forecast  100%', 'meter-held 75% 5%', 'meter-used  75%', ' 80% ']);
    expect(screen.getByText('Runs out 27 Nov').closest('.meter')?.getAttribute('data-tone')).toBe('warn');
  });

  it('warns past the alert or by forecast, and shows danger when nearly exhausted', () => {
    expect(meterTone(10, 100, 80, null)).toBe('normal');
    expect(meterTone(80, 100, 80, null)).toBe('warn');
    expect(meterTone(10, 100, null, 101)).toBe('warn');
    expect(meterTone(96, 100, 80, null)).toBe('danger');
    expect(meterTone(96, null, 80, null)).toBe('normal');
  });
});

describe('Spark', () => {
  it('leaves a gap for a missing value, and stays within its box', () => {
    expect(sparkPath([1, 2, null, 3], 30, 10).line).toMatch(/^M[^M]+M/);
    fc.assert(
      fc.property(fc.array(fc.option(fc.double({ noNaN: true, min: -1e9, max: 1e9 }))), (values) => {
        const numbers = [...sparkPath(values, 84, 28).line.matchAll(/([\d.-]+),([\d.-]+)/g)];
        return numbers.every(
          ([, x, y]) => Number(x) >= 0 && Number(x) <= 84 && Number(y) >= 0 && Number(y) <= 28,
        );
      }),
    );
    renderUi(<Spark values={[1, 2, 3]} label="Requests, rising" />);
    expect(screen.getByRole('img', { name: 'Requests, rising' })).toBeTruthy();
  });
});
