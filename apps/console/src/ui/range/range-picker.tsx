import { lazy, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { encodeRange, resolveRange, shiftRange, type Range } from '../../url';
import { bothZones } from '../format';
import { Icon } from '../icons/icon';
import { useFormat } from '../primitives/format-context';
import { PopupButton } from '../popup';
import { useNow } from '../primitives/moment';
import { usePageKeys } from '../use-page-keys';
import { rangeWords } from './range-words';

const RangePopup = lazy(async () => ({ default: (await import('./range-popup')).RangePopup }));

const PRESETS = ['15m', '1h', '6h', '24h', '7d', '30d', '90d'] as const;

export interface RangePickerProps {
  readonly range: Range;
  readonly onChange: (range: Range) => void;
  /** Offered spans, such as `24h`. */
  readonly presets?: readonly string[];
  /** `segments` shows the presets as separate buttons, as on Home. */
  readonly as?: 'chip' | 'segments';
  /** Maximum range in days; longer ones are refused. */
  readonly maxDays?: number;
}

/**
 * Picker of a time range in the viewer's zone: presets, typed text, and steps back and forth with
 * Alt and the arrow keys.
 */
export function RangePicker({
  range,
  onChange,
  presets = PRESETS,
  as = 'chip',
  maxDays = 366,
}: RangePickerProps): ReactElement {
  const { zone } = useFormat();
  const now = useNow(30_000);
  usePageKeys({
    'alt+arrowleft': () => onChange(shiftRange(range, -1, Date.now())),
    'alt+arrowright': () => onChange(shiftRange(range, 1, Date.now())),
  });
  const { from, to } = resolveRange(range, now);
  const title = (isNamed: boolean): string =>
    [...bothZones(from, zone, isNamed), '–', ...bothZones(to, zone, isNamed)].join('\n');
  const isPreset = range.kind === 'relative' && presets.includes(range.span);
  return (
    <span className={`range-picker range-picker-${as}`} role="group" aria-label={uiText.range.label}>
      {as === 'segments' &&
        presets.map((span) => (
          <button
            key={span}
            type="button"
            className="range-segment"
            aria-pressed={encodeRange(range) === span}
            onClick={() => onChange({ kind: 'relative', span })}
          >
            {uiText.range.short(span)}
          </button>
        ))}
      <PopupButton
        opens="dialog"
        className={as === 'chip' ? 'plain-button range-chip' : 'range-segment'}
        aria-label={uiText.range.choose(rangeWords(range, now, zone))}
        aria-pressed={as === 'segments' ? !isPreset : undefined}
        title={title(false)}
        onPointerEnter={({ currentTarget: button }) => {
          button.title = title(true);
        }}
        popup={(popup) => (
          <RangePopup {...popup} range={range} presets={presets} maxDays={maxDays} onChange={onChange} />
        )}
      >
        <Icon name="clock" size={14} /> {as === 'segments' && isPreset ? null : rangeWords(range, now, zone)}
      </PopupButton>
    </span>
  );
}
