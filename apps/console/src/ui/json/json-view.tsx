import { useId, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { CopyButton, useCopy } from '../primitives/copy';
import { JsonLineRow } from './json-line';
import { atPointer, isMatch, jsonLines, parentsOf, pathText, type JsonLine } from './json-lines';
import { JsonSearch } from './json-search';
import { VirtualLines, type VirtualLinesHandle } from './virtual-lines';

const NOTHING: ReadonlySet<string> = new Set();

export interface JsonViewProps {
  readonly value: unknown;
  readonly label: string;
  /** Pointers of objects and arrays that are initially collapsed. */
  readonly collapsed?: ReadonlySet<string>;
  /** Maximum height in pixels, above which the view scrolls; 560 by default. */
  readonly maxHeight?: number;
}

/**
 * Shows JSON as a tree: arrow keys move, expand and collapse, `Y` copies the path, `C` the value,
 * Ctrl F searches. Above 2,000 lines only the visible ones are rendered.
 */
export function JsonView({
  value,
  label,
  collapsed: closedAtFirst = NOTHING,
  maxHeight = 560,
}: JsonViewProps): ReactElement {
  const id = useId();
  const list = useRef<VirtualLinesHandle>(null);
  const search = useRef<HTMLInputElement>(null);
  const [collapsed, setCollapsed] = useState(closedAtFirst);
  const [active, setActive] = useState(0);
  const [shown, setShown] = useState(value);
  // The places in another document have no meaning in this one.
  if (shown !== value) {
    setShown(value);
    setCollapsed(closedAtFirst);
    setActive(0);
  }
  const { copy } = useCopy();
  const lines = useMemo(() => jsonLines(value, collapsed), [value, collapsed]);
  const line = lines[active];

  const toggle = (pointer: string, isOpen?: boolean): void =>
    setCollapsed((before) => {
      const next = new Set(before);
      if (isOpen ?? before.has(pointer)) next.delete(pointer);
      else next.add(pointer);
      return next;
    });
  const goTo = (index: number): void => {
    const to = Math.max(0, Math.min(lines.length - 1, index));
    setActive(to);
    list.current?.scrollTo(to);
  };
  const show = (pointer: string): void => {
    const open = new Set(collapsed);
    for (const parent of parentsOf(pointer)) open.delete(parent);
    setCollapsed(open);
    const at = jsonLines(value, open).findIndex((one) => one.pointer === pointer && one.kind !== 'close');
    setActive(at);
    requestAnimationFrame(() => list.current?.scrollTo(at));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'f') search.current?.focus();
    else if (event.ctrlKey || event.metaKey || event.altKey || line === undefined) return;
    else if (!act(event.key, line)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const act = (key: string, at: JsonLine): boolean => {
    const isOpen = at.kind === 'open' && !collapsed.has(at.pointer);
    const actions: Readonly<Record<string, () => unknown>> = {
      ArrowDown: () => goTo(active + 1),
      ArrowUp: () => goTo(active - 1),
      Home: () => goTo(0),
      End: () => goTo(lines.length - 1),
      PageDown: () => goTo(active + 20),
      PageUp: () => goTo(active - 20),
      ArrowRight: () => (isOpen ? goTo(active + 1) : at.kind === 'open' && toggle(at.pointer, true)),
      ArrowLeft: () => (isOpen ? toggle(at.pointer, false) : goTo(parentIndex(lines, active))),
      Enter: () => at.kind === 'open' && toggle(at.pointer),
      ' ': () => at.kind === 'open' && toggle(at.pointer),
      y: () => copy(pathText(value, at.pointer)),
      c: () => copy(JSON.stringify(atPointer(value, at.pointer), null, 2) ?? 'null'),
    };
    const action = actions[key];
    action?.();
    return action !== undefined;
  };

  return (
    <div className="json-view">
      <div className="json-tools">
        <JsonSearch ref={search} value={value} onShow={show} matches={isMatch} />
        <code className="ell muted grow" title={uiText.json.keys}>
          {line === undefined ? '' : pathText(value, line.pointer)}
        </code>
        {line === undefined ? null : (
          <CopyButton text={() => pathText(value, line.pointer)} label={uiText.json.copyPath} />
        )}
        <CopyButton text={() => JSON.stringify(value, null, 2) ?? 'null'} label={uiText.json.copyAll} />
      </div>
      <VirtualLines
        ref={list}
        count={lines.length}
        maxHeight={maxHeight}
        active={active}
        container={{
          role: 'tree',
          'aria-label': label,
          'aria-activedescendant': `${id}-${active}`,
          tabIndex: 0,
          onKeyDown,
        }}
        line={(index) => {
          const one = lines[index] as JsonLine;
          const isOpen = one.kind === 'open' && !collapsed.has(one.pointer);
          return {
            props: {
              id: `${id}-${index}`,
              role: one.kind === 'close' ? 'presentation' : 'treeitem',
              'aria-level': one.kind === 'close' ? undefined : one.depth + 1,
              'aria-expanded': one.kind === 'open' ? isOpen : undefined,
              'aria-selected': one.kind === 'close' ? undefined : index === active,
              className: 'json-line',
              style: { paddingLeft: `${one.depth * 16}px` },
              onClick: () => setActive(index),
            },
            content: <JsonLineRow line={one} isCollapsed={!isOpen} onToggle={toggle} />,
          };
        }}
      />
    </div>
  );
}

/** Index of the line that opens the object or array around a line; `at` itself for the root. */
function parentIndex(lines: readonly JsonLine[], at: number): number {
  const depth = lines[at]?.depth ?? 0;
  for (let index = at - 1; index >= 0; index -= 1) if ((lines[index]?.depth ?? 0) < depth) return index;
  return at;
}
