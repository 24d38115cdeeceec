import { Kbd, Modal } from '@mantine/core';
import type { ReactElement } from 'react';
import { shell } from '../../messages';
import { refusalOf } from '../state/access';
import { useSessionFacts } from '../state/session-context';
import { usePages } from './use-pages';
import { useShownWorkspace } from './use-shown-workspace';

interface KeysDialogProps {
  readonly onClose: () => void;
}

/** A shortcut: its keys, of which those with a plus sign are pressed together, and its effect. */
type Shortcut = readonly [keys: string, what: string];

const texts = shell.keys;

/** Shortcuts of lists, logs and forms, which do not depend on the pages of the caller. */
const OF_PAGES: readonly (readonly [title: string, rows: readonly Shortcut[]])[] = [
  [
    texts.lists,
    [
      ['J K', texts.move],
      ['Enter', texts.open],
      ['Space', texts.mark],
      ['F', texts.filter],
      ['/', texts.text],
      ['X', texts.clear],
      ['Alt+← Alt+→', texts.range],
      ['.', texts.tail],
      ['R', texts.refresh],
    ],
  ],
  [
    texts.log,
    [
      ['J K', texts.step],
      ['1…8', texts.tab],
      ['O', texts.own],
      ['Y', texts.id],
      ['Shift+Y', texts.link],
      ['P', texts.replay],
      ['Esc', texts.close],
    ],
  ],
  [
    texts.forms,
    [
      ['Ctrl+S', texts.save],
      ['Ctrl+Enter', texts.run],
    ],
  ],
];

/**
 * Lists the shortcuts of the pages and actions that the caller may use, and those of lists, logs and
 * forms.
 */
export function KeysDialog({ onClose }: KeysDialogProps): ReactElement {
  const pages = usePages();
  const facts = useSessionFacts();
  const workspace = useShownWorkspace();
  const everywhere: readonly Shortcut[] = [
    ['Ctrl+K', texts.palette],
    ...pages.flatMap(({ chord, label }) =>
      chord === undefined ? [] : [[`G ${chord}`, texts.go(label)] as const],
    ),
    ...pages.flatMap(({ create }) =>
      create?.chord === undefined || refusalOf(create.operation, facts, workspace) !== null
        ? []
        : [[`C ${create.chord}`, texts.create(create.label)] as const],
    ),
    ['W', texts.workspace],
    ['U', texts.utc],
    ['[', texts.sidebar],
    ['?', texts.list],
  ];
  return (
    <Modal opened onClose={onClose} title={texts.title} size="xl">
      <div className="keys-groups">
        {[[texts.everywhere, everywhere] as const, ...OF_PAGES].map(([title, rows]) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <dl className="keys-list">
              {rows.map(([keys, what]) => (
                <div key={keys} style={{ display: 'contents' }}>
                  <dt>{what}</dt>
                  <dd>
                    {keys.split(' ').map((key) => (
                      <Kbd key={key}>{key.replace('+', ' ')}</Kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
