export {
  accountActor,
  actorOf,
  auditActions,
  auditStep,
  auditValues,
  changedFields,
  defineAuditActions,
  factsOf,
  OPERATOR,
  SERVICE,
} from './audit-event.js';
