import { Spotlight } from '@mantine/spotlight';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import { shell } from '../../messages';
import { Icon } from '../../ui/icons/icon';
import { useGoTo } from '../shell/addresses';
import type { Hit, HitGroup } from './hits';
import { palette, selectedHit, selectFirst } from './store';
import { useHits } from './use-hits';
import '@mantine/spotlight/styles.css';
import './palette.css';

export { paletteActions } from './store';

const words = shell.palette;

/**
 * Command palette (Ctrl K): finds pages and resources. Tab shows the actions of the selected row.
 */
export function Palette({ onKeys }: { readonly onKeys: () => void }): ReactElement {
  const [text, setText] = useState('');
  const [of, setOf] = useState<Hit | null>(null);
  const hasMoved = useRef(false);
  const { groups, isSearching, note } = useHits(text, onKeys);
  const shown =
    of === null ? groups : [{ title: words.acts.of(of.label), hits: matching(of.actions ?? [], text) }];
  const change = (next: string): void => {
    hasMoved.current = false;
    setText(next);
  };
  const back = (): void => {
    setOf(null);
    change('');
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key.startsWith('Arrow')) hasMoved.current = true;
    if (
      of !== null &&
      ((event.key === 'Backspace' && text === '') || (event.key === 'Tab' && event.shiftKey))
    ) {
      event.preventDefault();
      back();
    } else if (event.key === 'Tab' && !event.shiftKey && of === null) {
      const selected = hitOf(groups, selectedHit());
      if (selected?.actions === undefined) return;
      event.preventDefault();
      setOf(selected);
      change('');
    }
  };
  return (
    <Spotlight.Root
      store={palette}
      query={text}
      onQueryChange={change}
      onSpotlightClose={back}
      shortcut={null}
      scrollable
      maxHeight={420}
      clearQueryOnClose
      size={620}
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
    >
      <Spotlight.Search
        placeholder={of === null ? words.placeholder : words.acts.of(of.label)}
        aria-label={of === null ? shell.search : words.acts.of(of.label)}
        leftSection={<Icon name="search" />}
        onKeyDown={onKey}
      />
      <Rows groups={shown} mayMove={() => !hasMoved.current} />
      {of === null && note !== null && !isSearching && (
        <p className="palette-note" role="status">
          {note}
        </p>
      )}
      <Spotlight.Footer className="palette-foot">
        {of === null ? words.hint : words.hintActs}
      </Spotlight.Footer>
    </Spotlight.Root>
  );
}

const matching = (hits: readonly Hit[], text: string): readonly Hit[] =>
  hits.filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()));

const hitOf = (groups: readonly HitGroup[], key: string | null): Hit | undefined =>
  groups.flatMap(({ hits }) => hits).find((hit) => hit.key === key);

interface RowsProps {
  readonly groups: readonly HitGroup[];
  /** Returns whether the selection may move to the best row. */
  readonly mayMove: () => boolean;
}

function Rows({ groups, mayMove }: RowsProps): ReactElement {
  const goTo = useGoTo();
  const order = groups.flatMap(({ hits }) => hits.map(({ key }) => key)).join('\n');
  useEffect(() => {
    if (order !== '' && mayMove()) selectFirst();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- when the rows change
  }, [order]);
  const act = ({ address, run }: Hit): void => {
    if (address !== undefined) goTo(address);
    run?.(goTo);
  };
  return (
    <Spotlight.ActionsList>
      {groups.map(({ title, hits }) => (
        <Spotlight.ActionsGroup key={title} label={title}>
          {hits.map((hit) => (
            <Spotlight.Action
              className="palette-action"
              key={hit.key}
              data-hit={hit.key}
              label={hit.label}
              description={hit.hint}
              leftSection={<Icon name={hit.icon} />}
              onClick={() => act(hit)}
            />
          ))}
        </Spotlight.ActionsGroup>
      ))}
    </Spotlight.ActionsList>
  );
}
