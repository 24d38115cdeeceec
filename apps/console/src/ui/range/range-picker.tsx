import { Popover } from '@mantine/core';
import { useState, type FormEvent, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { encodeRange, resolveRange, shiftRange, type Range } from '../../url';
import { bothZones, zoneName } from '../format';
import { Icon } from '../icons/icon';
import { useFormat } from '../primitives/format-context';
import { useNow } from '../primitives/moment';
import { usePageKeys } from '../use-page-keys';
import { parseRangeText } from './range-text';
import { clockChangeNote, rangeWords } from './range-words';

const PRESETS = ['15m', '1h', '6h', '24h', '7d', '30d', '90d'] as const;

export interface RangePickerProps {
  readonly range: Range;
  readonly onChange: (range: Range) => void;
  /** Spans that are offered. */
  readonly presets?: readonly string[];
  /** `segments`: the presets as buttons of their own, as on Home. */
  readonly as?: 'chip' | 'segments';
  /** Longest range in days; longer ones are refused. */
  readonly maxDays?: number;
}

/** A range of time: presets, typed words, back and forth (Alt and arrow keys). In the zone of the viewer. */
export function RangePicker({
  range,
  onChange,
  presets = PRESETS,
  as = 'chip',
  maxDays = 366,
}: RangePickerProps): ReactElement {
  const { zone } = useFormat();
  const now = useNow(30_000);
  const [isOpen, setOpen] = useState(false);
  usePageKeys({
    'alt+arrowleft': () => onChange(shiftRange(range, -1, Date.now())),
    'alt+arrowright': () => onChange(shiftRange(range, 1, Date.now())),
  });
  const { from, to } = resolveRange(range, now);
  const title = (isNamed: boolean): string =>
    [...bothZones(from, zone, isNamed), '–', ...bothZones(to, zone, isNamed)].join('\n');
  const choose = (next: Range): void => {
    onChange(next);
    setOpen(false);
  };
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
      <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus position="bottom-start">
        <Popover.Target>
          <button
            type="button"
            className={as === 'chip' ? 'plain-button range-chip' : 'range-segment'}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            aria-label={uiText.range.choose(rangeWords(range, now, zone))}
            aria-pressed={as === 'segments' ? !isPreset : undefined}
            title={title(false)}
            onPointerEnter={({ currentTarget: button }) => {
              button.title = title(true);
            }}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name="clock" size={14} />{' '}
            {as === 'segments' && isPreset ? null : rangeWords(range, now, zone)}
          </button>
        </Popover.Target>
        <Popover.Dropdown className="filter-dropdown" aria-label={uiText.range.label}>
          <RangeEditor range={range} presets={presets} maxDays={maxDays} onChoose={choose} />
        </Popover.Dropdown>
      </Popover>
    </span>
  );
}

interface RangeEditorProps {
  readonly range: Range;
  readonly presets: readonly string[];
  readonly maxDays: number;
  readonly onChoose: (range: Range) => void;
}

function RangeEditor({ range, presets, maxDays, onChoose }: RangeEditorProps): ReactElement {
  const { zone } = useFormat();
  const now = useNow(30_000);
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const read = typed.trim() === '' ? null : parseRangeText(typed, now, zone);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (read === null) return setProblem(uiText.range.unreadable);
    const { from, to } = resolveRange(read, now);
    if (to - from > maxDays * 86_400_000) return setProblem(uiText.range.tooLong(maxDays));
    if (from >= now) return setProblem(uiText.range.future);
    return onChoose(read);
  };
  const note = clockChangeNote(read ?? range, now, zone);
  return (
    <form className="filter-editor" onSubmit={submit}>
      <input
        // The editor opens by a key or click of the user.
        autoFocus
        className="filter-input"
        aria-label={uiText.range.typed}
        aria-invalid={problem !== null || undefined}
        placeholder={uiText.range.placeholder}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setProblem(null);
        }}
      />
      <p className="filter-hint" role={problem === null ? 'status' : 'alert'}>
        {problem ?? (read === null ? uiText.range.zone(zoneName(zone)) : rangeWords(read, now, zone))}
      </p>
      <div className="range-presets">
        {presets.map((span) => (
          <button
            key={span}
            type="button"
            className="filter-operator"
            onClick={() => onChoose({ kind: 'relative', span })}
          >
            {rangeWords({ kind: 'relative', span }, now, zone)}
          </button>
        ))}
        {uiText.range.named.map((name) => {
          const named = parseRangeText(name, now, zone);
          return named === null ? null : (
            <button key={name} type="button" className="filter-operator" onClick={() => onChoose(named)}>
              {uiText.range.name(name)}
            </button>
          );
        })}
      </div>
      {note === null ? null : <p className="filter-hint">{note}</p>}
    </form>
  );
}
