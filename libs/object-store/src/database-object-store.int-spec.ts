import { testDatabase } from '@gw/testing';
import { DatabaseObjectStore } from './database-object-store';
import { objectStoreContract } from './spec-support/object-store-contract';

const database = testDatabase();

objectStoreContract(
  'the database',
  () => new DatabaseObjectStore((sql, parameters) => database.dataSource.query(sql, parameters)),
);
