import 'reflect-metadata';

export {
  type CapturedMail,
  type TestAccount,
  type TestAccountInput,
  TestApp,
  testApp,
  type TestAppOptions,
  type TestRequest,
} from './testing/test-app.js';
export { TestClock } from './testing/test-clock.js';
export {
  clockContract,
  type ContractTest,
  mailTransportContract,
  passwordHasherContract,
  rateLimitStoreContract,
  type ReceivedMail,
  type RefusedAddresses,
} from './testing/port-contracts.js';
export { fileStorageContract } from './testing/storage-contract.js';
export { oneTimeSecretsContract } from './testing/secrets-contract.js';
