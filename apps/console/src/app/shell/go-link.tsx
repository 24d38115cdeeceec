import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactElement, ReactNode } from 'react';
import { useGoTo, withoutSlash } from './addresses';

interface GoLinkProps {
  /** Below the console's base, such as `/w/search/logs?log=01a2`. */
  readonly to: string;
  readonly className?: string;
  /** It is the page that is open. */
  readonly isCurrent?: boolean;
  readonly children: ReactNode;
}

const opensElsewhere = (event: MouseEvent): boolean =>
  event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;

/** A link to a page by its address, for pages that may be of another folder. */
export function GoLink({ to, className, isCurrent = false, children }: GoLinkProps): ReactElement {
  const router = useRouter();
  const goTo = useGoTo();
  return (
    <a
      href={withoutSlash(router.basepath) + to}
      className={className}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => {
        if (opensElsewhere(event)) return;
        event.preventDefault();
        goTo(to);
      }}
    >
      {children}
    </a>
  );
}
