import { Popover } from '@mantine/core';
import { useState, type FormEvent, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { resolveRange, type Range } from '../../url';
import { zoneName } from '../format';
import type { PopupProps } from '../popup';
import { Anchor, usePopup } from '../popup/anchor';
import { useFormat } from '../primitives/format-context';
import { useNow } from '../primitives/moment';
import { parseRangeText } from './range-text';
import { clockChangeNote, rangeWords } from './range-words';

interface RangePopupProps extends PopupProps {
  readonly range: Range;
  readonly presets: readonly string[];
  readonly maxDays: number;
  readonly onChange: (range: Range) => void;
}

/** Popup of the range picker with presets, named ranges and a text input. */
export function RangePopup(props: RangePopupProps): ReactElement {
  const { anchor, range, presets, maxDays, onChange, ...popup } = props;
  const choose = (next: Range): void => {
    onChange(next);
    popup.onClose();
  };
  return (
    <Popover {...usePopup(popup)} trapFocus returnFocus position="bottom-start">
      <Popover.Target>
        <Anchor element={anchor} />
      </Popover.Target>
      <Popover.Dropdown className="filter-dropdown" aria-label={uiText.range.label}>
        <RangeEditor range={range} presets={presets} maxDays={maxDays} onChoose={choose} />
      </Popover.Dropdown>
    </Popover>
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
        // The editor opens only when the user asks for it, so autofocus is appropriate.
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
