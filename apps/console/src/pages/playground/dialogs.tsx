import { lazy, Suspense, type ReactElement } from 'react';
import { useWorkspace } from '../../app';
import { wordsOf } from './columns/target-picker';
import type { Runs } from './columns/use-runs';
import type { Draft } from './draft/draft';
import type { Replay } from './draft/replay';
import { requestOf } from './draft/request';
import { NEW_COLUMN, type PlaygroundSettings } from './search';

// Lazy, because it contains the recipes of all clients.
const CodeDialog = lazy(async () => ({ default: (await import('./code-dialog')).CodeDialog }));
const DiffDialog = lazy(async () => ({ default: (await import('./columns/diff-dialog')).DiffDialog }));
const PasteDialog = lazy(async () => ({ default: (await import('./curl/paste-dialog')).PasteDialog }));
const RepeatDialog = lazy(async () => ({ default: (await import('./repeat/repeat-dialog')).RepeatDialog }));

/** The open dialog; `repeat` is the index of the column whose request is repeated. */
export type Dialog = 'code' | 'paste' | 'diff' | { readonly repeat: number };

interface DialogsProps {
  readonly dialog: Dialog | null;
  readonly settings: PlaygroundSettings;
  readonly draft: Draft;
  readonly runs: Runs;
  readonly onClose: () => void;
  /** Imports a pasted command. */
  readonly onTake: (replay: Replay) => void;
}

export function Dialogs(props: DialogsProps): ReactElement {
  const { dialog, settings, draft, runs, onClose, onTake } = props;
  const { id: workspaceId } = useWorkspace();
  const { columns } = settings;
  const repeated = dialog !== null && typeof dialog === 'object' ? columns[dialog.repeat] : undefined;
  return (
    <Suspense>
      {dialog === 'code' && (
        <CodeDialog onClose={onClose} settings={settings} column={columns[0] ?? NEW_COLUMN} draft={draft} />
      )}
      {dialog === 'diff' && <DiffDialog runs={runs} onClose={onClose} />}
      {dialog === 'paste' && <PasteDialog onClose={onClose} onTake={onTake} />}
      {repeated !== undefined && (
        <RepeatDialog
          number={columns.indexOf(repeated) + 1}
          words={wordsOf(repeated)}
          request={requestOf(workspaceId, settings, repeated, draft)}
          onClose={onClose}
        />
      )}
    </Suspense>
  );
}
