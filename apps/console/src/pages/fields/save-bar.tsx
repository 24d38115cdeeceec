import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Problem } from '../../api';
import { forms } from '../../messages';
import { Note, TextButton } from '../../ui/primitives';
import { usePageKeys } from '../../ui/use-page-keys';

/** Members of `useResourceForm` that the bar uses. */
interface SavedForm {
  readonly changed: readonly string[];
  readonly isSaving: boolean;
  readonly isSaved: boolean;
  readonly isRestored: boolean;
  readonly problem: Problem | null;
  readonly save: () => Promise<unknown>;
  readonly reset: () => void;
  readonly undo: (() => Promise<unknown>) | null;
}

/**
 * Bar below a form with its changed fields and buttons to save, discard and undo. `Ctrl S` saves.
 */
export function SaveBar({ form }: { readonly form: SavedForm }): ReactElement {
  const { changed, isSaving, isSaved, isRestored, problem, save, reset, undo } = form;
  const saveChanges = (): void => {
    if (changed.length > 0 && !isSaving) void save();
  };
  usePageKeys({ 'ctrl+s': saveChanges });
  return (
    <div className="save-bar">
      {isRestored && changed.length > 0 && <Note tone="plain">{forms.restored}</Note>}
      {problem !== null && <Note tone="danger">{problem.message}</Note>}
      {isSaved && changed.length === 0 && (
        <Note
          tone="ok"
          action={
            undo === null ? undefined : <TextButton onClick={() => void undo()}>{forms.undo}</TextButton>
          }
        >
          {forms.saved}
        </Note>
      )}
      <div className="row">
        <code className="xs muted ell">{changed.length === 0 ? forms.nothing : changed.join(', ')}</code>
        <span className="row right">
          {changed.length > 0 && <Button onClick={reset}>{forms.reset}</Button>}
          <Button variant="filled" disabled={changed.length === 0} loading={isSaving} onClick={saveChanges}>
            {forms.save(changed.length)}
          </Button>
        </span>
      </div>
    </div>
  );
}
