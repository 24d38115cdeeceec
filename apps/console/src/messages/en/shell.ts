export const shell = {
  product: 'Tollgate',
  skip: 'Skip to the content',
  navigation: 'Pages',
  search: 'Search or jump to…',
  groups: {
    top: '',
    observe: 'Observe',
    build: 'Build',
    control: 'Control',
    organisation: 'Organisation',
  },
};
