declare module "cluster-key-slot" {
  /** The slot of a key of a Redis Cluster, from 0 to 16383. */
  export default function slotOf(key: string): number;
}
