import { Spotlight } from '@mantine/spotlight';
import { useState, type ReactElement } from 'react';
import { shell } from '../../messages';
import { Icon } from '../../ui/icons/icon';
import { useGoTo } from '../shell/addresses';
import { palette } from './store';
import { useHits } from './use-hits';
import '@mantine/spotlight/styles.css';
import './palette.css';

export { paletteActions } from './store';

/** Search and jump: Ctrl K. */
export function Palette(): ReactElement {
  const [text, setText] = useState('');
  return (
    <Spotlight.Root
      store={palette}
      query={text}
      onQueryChange={setText}
      shortcut={null}
      scrollable
      maxHeight={420}
      clearQueryOnClose
      size={620}
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
    >
      <Spotlight.Search
        placeholder={shell.palette.placeholder}
        aria-label={shell.search}
        leftSection={<Icon name="search" />}
      />
      <Hits text={text} />
      <Spotlight.Footer className="palette-foot">{shell.palette.hint}</Spotlight.Footer>
    </Spotlight.Root>
  );
}

function Hits({ text }: { readonly text: string }): ReactElement {
  const { groups, isSearching } = useHits(text);
  const goTo = useGoTo();
  return (
    <Spotlight.ActionsList>
      {groups.map(({ title, hits }) => (
        <Spotlight.ActionsGroup key={title} label={title}>
          {hits.map(({ key, label, hint, icon, address }) => (
            <Spotlight.Action
              className="palette-action"
              key={key}
              label={label}
              description={hint}
              leftSection={<Icon name={icon} />}
              onClick={() => goTo(address)}
            />
          ))}
        </Spotlight.ActionsGroup>
      ))}
      {groups.length === 0 && !isSearching && <Spotlight.Empty>{shell.palette.nothing}</Spotlight.Empty>}
    </Spotlight.ActionsList>
  );
}
