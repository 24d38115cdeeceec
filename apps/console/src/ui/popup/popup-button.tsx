import {
  Suspense,
  useId,
  useState,
  type ButtonHTMLAttributes,
  type ReactElement,
  type ReactNode,
} from 'react';
import { ErrorBoundary } from '../states/error-boundary';

/** Properties that a popup gets from its button. */
export interface PopupProps {
  /** Id of the button, which names the popup. */
  readonly id: string;
  readonly anchor: HTMLElement;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

interface PopupButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'id' | 'type' | 'onClick'> {
  readonly opens: 'menu' | 'dialog';
  /** Draws the popup. May be lazy: it is drawn from the first time on that the button is pressed. */
  readonly popup: (props: PopupProps) => ReactNode;
}

/**
 * A button that opens a popup whose code comes later than the button. The button stays the same element all the time, so that it keeps
 * the focus.
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
        // Without its code nothing opens; `NewerVersion` says that files are missing.
        <ErrorBoundary fallback={null}>
          <Suspense>{popup({ id, anchor, isOpen, onClose: () => setOpen(false) })}</Suspense>
        </ErrorBoundary>
      )}
    </>
  );
}
