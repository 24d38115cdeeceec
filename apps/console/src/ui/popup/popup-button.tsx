import {
  Suspense,
  useId,
  useState,
  type ButtonHTMLAttributes,
  type ReactElement,
  type ReactNode,
} from 'react';
import { ErrorBoundary } from '../states/error-boundary';

/** Properties that a button passes to its popup. */
export interface PopupProps {
  /** Id of the button, which names the popup. */
  readonly id: string;
  readonly anchor: HTMLElement;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

interface PopupButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'id' | 'type' | 'onClick'> {
  readonly opens: 'menu' | 'dialog';
  /** Renders the popup, from the first press of the button on. The component may be lazy. */
  readonly popup: (props: PopupProps) => ReactNode;
}

/**
 * A button that opens a popup with lazily loaded code. The button element is never replaced, so it
 * keeps the focus.
 */
export function PopupButton({ opens, popup, ...others }: PopupButtonProps): ReactElement {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <button
        {...others}
        id={id}
        type="button"
        aria-haspopup={opens}
        aria-expanded={isOpen}
        onClick={({ currentTarget }) => {
          setAnchor(currentTarget);
          setOpen(!isOpen);
        }}
      />
      {anchor !== null && (
        // When its code cannot be loaded, nothing opens and `NewerVersion` reports missing files.
        <ErrorBoundary fallback={null}>
          <Suspense>{popup({ id, anchor, isOpen, onClose: () => setOpen(false) })}</Suspense>
        </ErrorBoundary>
      )}
    </>
  );
}
