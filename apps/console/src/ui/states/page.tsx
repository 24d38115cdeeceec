import { useLayoutEffect, type ReactElement, type ReactNode } from 'react';
import { uiText } from '../../messages/en/ui';
import { ErrorBoundary } from './error-boundary';
import { Updating } from './states';

export interface PageProps {
  /** Heading and title of the document. Never contains bodies or secrets. */
  readonly title: string;
  /** Next to the title: a view, a badge. */
  readonly badge?: ReactNode;
  /** At the right: the primary action last. */
  readonly actions?: ReactNode;
  readonly updating?: boolean;
  /** `full`: the page fills the height and scrolls within its parts. */
  readonly layout?: 'scroll' | 'full';
  readonly children: ReactNode;
}

/** A page: one header, then its content. */
export function Page({
  title,
  badge,
  actions,
  updating = false,
  layout = 'scroll',
  children,
}: PageProps): ReactElement {
  // With the content: nothing sees the one without the other.
  useLayoutEffect(() => {
    document.title = uiText.states.documentTitle(title);
  }, [title]);
  return (
    <div className={`page page-${layout}`}>
      <Updating active={updating} />
      <header className="page-header">
        <h1>{title}</h1>
        {badge}
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </header>
      <ErrorBoundary resetKey={title}>{children}</ErrorBoundary>
    </div>
  );
}

export interface PaneProps {
  readonly title?: ReactNode;
  /** Name for screen readers where the title is not a text. */
  readonly label?: string;
  readonly actions?: ReactNode;
  readonly footer?: ReactNode;
  /** `flush`: the content reaches the edges, as tables do. */
  readonly padding?: 'normal' | 'flush';
  readonly updating?: boolean;
  readonly className?: string;
  /** The pane shows its content again after an error when this changes. */
  readonly resetKey?: unknown;
  readonly children: ReactNode;
}

/** A card with its own error boundary. */
export function Pane(props: PaneProps): ReactElement {
  const {
    title,
    label,
    actions,
    footer,
    padding = 'normal',
    updating = false,
    className = '',
    resetKey,
    children,
  } = props;
  const name = label ?? (typeof title === 'string' ? title : undefined);
  return (
    <section className={`pane ${className}`} aria-label={name}>
      <Updating active={updating} />
      {title === undefined && actions === undefined ? null : (
        <header className="pane-header">
          {title === undefined ? null : <h2>{title}</h2>}
          {actions === undefined ? null : <div className="pane-actions">{actions}</div>}
        </header>
      )}
      <div className={`pane-body pane-body-${padding}`}>
        <ErrorBoundary resetKey={resetKey}>{children}</ErrorBoundary>
      </div>
      {footer === undefined ? null : <footer className="pane-footer">{footer}</footer>}
    </section>
  );
}
