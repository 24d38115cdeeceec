import { Button, Modal, TextInput } from '@mantine/core';
import { useState, type ReactElement, type ReactNode } from 'react';
import { problemFrom, type Problem } from '../../api';
import { Note } from '../../ui/primitives';

interface RemoveDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly action: string;
  /** Name that the user must type to confirm; null for no confirmation by name. */
  readonly name: string | null;
  readonly nameLabel: string;
  /** Deletes the resource. The dialog shows the error of a rejection. */
  readonly onRemove: () => Promise<void>;
  /** Consequences of the removal. */
  readonly children: ReactNode;
}

/** Dialog that confirms the deletion of a resource. */
export function RemoveDialog(props: RemoveDialogProps): ReactElement {
  const { isOpen, onClose, title, action, name, nameLabel, onRemove, children } = props;
  const [typed, setTyped] = useState('');
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isReady = name === null || typed.trim() === name.trim();
  const close = (): void => {
    setTyped('');
    setProblem(null);
    onClose();
  };
  const remove = async (): Promise<void> => {
    if (!isReady || isSending) return;
    setSending(true);
    setProblem(null);
    try {
      await onRemove();
    } catch (error) {
      setProblem(problemFrom(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <Modal opened={isOpen} onClose={close} title={title}>
      <form
        className="col fields"
        onSubmit={(event) => {
          event.preventDefault();
          void remove();
        }}
      >
        {children}
        {name !== null && (
          <TextInput
            label={nameLabel}
            autoComplete="off"
            data-autofocus
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
        {problem !== null && <Note tone="danger">{problem.message}</Note>}
        <span className="row">
          <Button
            type="submit"
            className="right"
            variant="filled"
            color="danger"
            disabled={!isReady}
            loading={isSending}
          >
            {action}
          </Button>
        </span>
      </form>
    </Modal>
  );
}
