;; The arithmetic of the attention network. Vectors have 32 numbers of single precision, 128 bytes; addresses are in bytes.
(module
  (memory (export "memory") 512) ;; 32 MB, of which only what is written takes room.
  (global $hidden i32 (i32.const 0)) ;; Scratch vectors.
  (global $attended i32 (i32.const 128))

  ;; Adds vectors to the one at `target`, each times its weight.
  ;; rows: address of a list of addresses; offset: added to each of them
  (func $addRows (export "addRows") (param $target i32) (param $rows i32) (param $count i32) (param $offset i32) (param $weights i32)
    (local $from i32) (local $weight v128)
    (local $r0 v128) (local $r1 v128) (local $r2 v128) (local $r3 v128)
    (local $r4 v128) (local $r5 v128) (local $r6 v128) (local $r7 v128)
    (local.set $r0 (v128.load offset=0 (local.get $target)))
    (local.set $r1 (v128.load offset=16 (local.get $target)))
    (local.set $r2 (v128.load offset=32 (local.get $target)))
    (local.set $r3 (v128.load offset=48 (local.get $target)))
    (local.set $r4 (v128.load offset=64 (local.get $target)))
    (local.set $r5 (v128.load offset=80 (local.get $target)))
    (local.set $r6 (v128.load offset=96 (local.get $target)))
    (local.set $r7 (v128.load offset=112 (local.get $target)))
    (block $end (loop $next
      (br_if $end (i32.eqz (local.get $count)))
      (local.set $from (i32.add (i32.load (local.get $rows)) (local.get $offset)))
      (local.set $weight (v128.load32_splat (local.get $weights)))
      (local.set $r0 (f32x4.add (local.get $r0) (f32x4.mul (local.get $weight) (v128.load offset=0 (local.get $from)))))
      (local.set $r1 (f32x4.add (local.get $r1) (f32x4.mul (local.get $weight) (v128.load offset=16 (local.get $from)))))
      (local.set $r2 (f32x4.add (local.get $r2) (f32x4.mul (local.get $weight) (v128.load offset=32 (local.get $from)))))
      (local.set $r3 (f32x4.add (local.get $r3) (f32x4.mul (local.get $weight) (v128.load offset=48 (local.get $from)))))
      (local.set $r4 (f32x4.add (local.get $r4) (f32x4.mul (local.get $weight) (v128.load offset=64 (local.get $from)))))
      (local.set $r5 (f32x4.add (local.get $r5) (f32x4.mul (local.get $weight) (v128.load offset=80 (local.get $from)))))
      (local.set $r6 (f32x4.add (local.get $r6) (f32x4.mul (local.get $weight) (v128.load offset=96 (local.get $from)))))
      (local.set $r7 (f32x4.add (local.get $r7) (f32x4.mul (local.get $weight) (v128.load offset=112 (local.get $from)))))
      (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
      (local.set $weights (i32.add (local.get $weights) (i32.const 4)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $next)))
    (v128.store offset=0 (local.get $target) (local.get $r0))
    (v128.store offset=16 (local.get $target) (local.get $r1))
    (v128.store offset=32 (local.get $target) (local.get $r2))
    (v128.store offset=48 (local.get $target) (local.get $r3))
    (v128.store offset=64 (local.get $target) (local.get $r4))
    (v128.store offset=80 (local.get $target) (local.get $r5))
    (v128.store offset=96 (local.get $target) (local.get $r6))
    (v128.store offset=112 (local.get $target) (local.get $r7)))

  ;; Writes the scalar products of a vector and the listed ones.
  (func (export "products") (param $target i32) (param $rows i32) (param $count i32) (param $offset i32) (param $vector i32)
    (local $from i32) (local $at i32) (local $sum v128)
    (block $end (loop $next
      (br_if $end (i32.eqz (local.get $count)))
      (local.set $from (i32.add (i32.load (local.get $rows)) (local.get $offset)))
      (local.set $sum (v128.const f32x4 0 0 0 0))
      (local.set $at (i32.const 112))
      (loop $block
        (local.set $sum (f32x4.add (local.get $sum) (f32x4.mul
          (v128.load (i32.add (local.get $vector) (local.get $at)))
          (v128.load (i32.add (local.get $from) (local.get $at))))))
        (br_if $block (i32.ge_s (local.tee $at (i32.sub (local.get $at) (i32.const 16))) (i32.const 0))))
      (f32.store (local.get $target) (f32.add
        (f32.add (f32x4.extract_lane 0 (local.get $sum)) (f32x4.extract_lane 1 (local.get $sum)))
        (f32.add (f32x4.extract_lane 2 (local.get $sum)) (f32x4.extract_lane 3 (local.get $sum)))))
      (local.set $target (i32.add (local.get $target) (i32.const 4)))
      (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $next))))

  ;; Adds the hidden layer of a unit, compared with its attended mean of other units, to `sum`. A unit is its vector, the outputs
  ;; of layer `aligned` (+128), its direction, and the outputs of layer `own` (+384).
  ;; others: address of the list of units; weights: of each; flags, flagRows, flagCount: inputs and rows of that layer
  (func (export "addHidden") (param $sum i32) (param $unit i32) (param $others i32) (param $count i32) (param $weights i32)
    (param $flags i32) (param $flagRows i32) (param $flagCount i32) (param $productRows i32)
    (local $at i32)
    (loop $next
      (v128.store (i32.add (global.get $hidden) (local.get $at)) (v128.load offset=384 (i32.add (local.get $unit) (local.get $at))))
      (v128.store (i32.add (global.get $attended) (local.get $at)) (v128.const f32x4 0 0 0 0))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (i32.const 128))))
    (call $addRows (global.get $hidden) (local.get $flagRows) (local.get $flagCount) (i32.const 0) (local.get $flags))
    (call $addRows (global.get $hidden) (local.get $others) (local.get $count) (i32.const 128) (local.get $weights))
    (call $addRows (global.get $attended) (local.get $others) (local.get $count) (i32.const 0) (local.get $weights))
    (local.set $at (i32.const 0))
    (loop $next ;; Twice the product of the mean and the unit's own vector.
      (v128.store (i32.add (global.get $attended) (local.get $at)) (f32x4.mul
        (f32x4.mul (f32x4.splat (f32.const 2)) (v128.load (i32.add (global.get $attended) (local.get $at))))
        (v128.load (i32.add (local.get $unit) (local.get $at)))))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (i32.const 128))))
    (call $addRows (global.get $hidden) (local.get $productRows) (i32.const 32) (i32.const 0) (global.get $attended))
    (local.set $at (i32.const 0))
    (loop $next
      (v128.store (i32.add (local.get $sum) (local.get $at)) (f32x4.add
        (v128.load (i32.add (local.get $sum) (local.get $at)))
        (f32x4.pmax (v128.const f32x4 0 0 0 0) (v128.load (i32.add (global.get $hidden) (local.get $at))))))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (i32.const 128))))))
