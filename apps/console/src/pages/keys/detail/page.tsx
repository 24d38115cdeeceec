export function KeyPage(): import('react').ReactElement {
  return <p />;
}
