import { Kbd, Modal } from '@mantine/core';
import type { ReactElement } from 'react';
import { shell } from '../../messages';
import { usePages } from './use-pages';

interface KeysDialogProps {
  readonly onClose: () => void;
}

/** Lists the shortcuts that work on every page. */
export function KeysDialog({ onClose }: KeysDialogProps): ReactElement {
  const pages = usePages();
  const texts = shell.keys;
  const rows: readonly (readonly [keys: string, what: string])[] = [
    ['Ctrl K', texts.palette],
    ...pages.flatMap(({ chord, label }) =>
      chord === undefined ? [] : [[`G ${chord}`, texts.go(label)] as const],
    ),
    ...pages.flatMap(({ create }) =>
      create?.chord === undefined ? [] : [[`C ${create.chord}`, texts.create(create.label)] as const],
    ),
    ['W', texts.workspace],
    ['U', texts.utc],
    ['[', texts.sidebar],
    ['?', texts.list],
  ];
  return (
    <Modal opened onClose={onClose} title={texts.title}>
      <dl className="keys-list">
        {rows.map(([keys, what]) => (
          <div key={keys} style={{ display: 'contents' }}>
            <dt>{what}</dt>
            <dd>
              {(keys.startsWith('Ctrl') ? [keys] : keys.split(' ')).map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
