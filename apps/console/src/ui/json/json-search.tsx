import { useDeferredValue, useMemo, useState, type ReactElement, type Ref } from 'react';
import { uiText } from '../../messages/en/ui';
import { Icon } from '../icons/icon';
import { jsonLines, type JsonLine } from './json-lines';

const NOTHING: ReadonlySet<string> = new Set();

export interface JsonSearchProps {
  readonly ref: Ref<HTMLInputElement>;
  readonly value: unknown;
  readonly matches: (line: JsonLine, lower: string) => boolean;
  readonly onShow: (pointer: string) => void;
}

/**
 * Search for keys and values, also in collapsed parts. Enter goes to the next match, Shift Enter to
 * the previous one.
 */
export function JsonSearch({ ref, value, matches, onShow }: JsonSearchProps): ReactElement {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(-1);
  const [searched, setSearched] = useState(value);
  if (searched !== value) {
    setSearched(value);
    setAt(-1);
  }
  const lower = useDeferredValue(typed.trim().toLowerCase());
  const found = useMemo(
    () => (lower === '' ? [] : jsonLines(value, NOTHING).filter((line) => matches(line, lower))),
    [value, lower, matches],
  );
  const go = (by: 1 | -1): void => {
    if (found.length === 0) return;
    // Without a current match, the first or the last one is next.
    const next = at < 0 && by < 0 ? found.length - 1 : (at + by + found.length) % found.length;
    setAt(next);
    onShow(found[next]?.pointer ?? '');
  };
  return (
    <span className="json-search">
      <Icon name="search" size={14} />
      <input
        ref={ref}
        type="search"
        aria-label={uiText.json.search}
        placeholder={uiText.json.search}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setAt(-1);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          go(event.shiftKey ? -1 : 1);
        }}
      />
      <span className="muted xs num" role="status">
        {lower === '' ? '' : uiText.json.found(at + 1, found.length)}
      </span>
    </span>
  );
}
