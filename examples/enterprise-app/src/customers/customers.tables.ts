import { Column, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';

/** Data that Acme stores for an account, beside that of Lintel. */
@Entity('acme_customers')
export class Customer {
  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: string;

  /** Shared by colleagues; null until it is set. */
  @Column('text')
  company!: string;

  @Column('boolean')
  blocked!: boolean;

  @Column('integer', { name: 'open_sessions' })
  openSessions!: number;

  @Column('timestamptz', { name: 'password_changed_at', nullable: true })
  passwordChangedAt!: Date | null;
}

/** Creates the table of customers. A customer is deleted with its account. */
export class Customers1795300000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE acme_customers (
      user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
      company text NOT NULL DEFAULT '',
      blocked boolean NOT NULL DEFAULT false,
      open_sessions integer NOT NULL DEFAULT 0,
      password_changed_at timestamptz
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE acme_customers');
  }
}
